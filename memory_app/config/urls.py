"""Every route of the web process; MCP is mounted beside Django in `asgi.py`."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
]
