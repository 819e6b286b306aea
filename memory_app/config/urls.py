"""Every route of the web process; MCP is mounted beside Django in `asgi.py`."""

from django.urls import include, path, re_path

from memory_app.config.health import livez, readyz
from memory_app.rest.views.root import Nowhere, Root

handler400 = "memory_app.config.faults.refused"
handler500 = "memory_app.config.faults.broken"

urlpatterns = [
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("api/v1", Root.as_view()),
    path("api/v1/", include("memory_app.rest.urls")),
    re_path(r"^api(?:/|$)", Nowhere.as_view()),
    path("accounts/", include("allauth.urls")),
    path("", include("accounts.urls")),
    path("", include("dashboard.urls")),
]
