"""Every route of the web process; MCP is mounted beside Django in `asgi.py`."""

from django.urls import include, path

from memory_app.config.health import livez, readyz

urlpatterns = [
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("accounts/", include("allauth.urls")),
    path("", include("accounts.urls")),
    path("", include("dashboard.urls")),
]
