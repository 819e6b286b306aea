"""Routes of one-time links and of a person's own account; passwords and the rest are allauth's."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/<str:token>/", views.sign_in, name="sign_in"),
    path("invitation/<str:token>/", views.invitation, name="invitation"),
    path("accounts/name/", views.name, name="name"),
    path("accounts/sessions/<int:session>/end/", views.end, name="end_session"),
    path("accounts/delete/", views.delete, name="delete"),
]
