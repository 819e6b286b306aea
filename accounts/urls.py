"""Routes of one-time links; passwords and the rest are allauth's."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/<str:token>/", views.sign_in, name="sign_in"),
    path("invitation/<str:token>/", views.invitation, name="invitation"),
]
