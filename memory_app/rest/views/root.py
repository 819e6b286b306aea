"""The door itself: where things are, the page that shows the schema, and what leads nowhere."""

from __future__ import annotations

from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from memory_app.domain.errors import NotFound
from memory_app.rest.operations import Endpoint

_WRITTEN: dict[str, str | bytes] = {}
_WRITING = Lock()


class Open(Endpoint):
    """An endpoint that answers without a credential and counts against no rate."""

    authentication_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Nobody is asked who they are."""


class Root(Open):
    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        base = request.build_absolute_uri("/api/v1/")
        access = ("people", "invitations", "agents", "connections", "keys")
        names = ("organization", *access, "usage", "banks")
        return Response(
            {
                "name": "Commonplace",
                "version": "v1",
                "schema": f"{base}schema/",
                "docs": f"{base}docs/",
                "authentication": "Authorization: Bearer cpl_...",
            }
            | {name: base + name for name in names}
            | {"bank": f"{base}banks/{{bank}}", "memories": f"{base}banks/{{bank}}/memories"}
        )


class Schema(SpectacularAPIView):
    """The API's description, written once a process: it takes seconds, and anybody may ask for it."""

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        renderer = request.accepted_renderer
        with _WRITING:
            if renderer.media_type not in _WRITTEN:
                generator: Any = self.generator_class()
                written = renderer.render(generator.get_schema(request=None, public=True))
                _WRITTEN[renderer.media_type] = written
        return HttpResponse(
            _WRITTEN[renderer.media_type], content_type=f"{renderer.media_type}; charset=utf-8"
        )


class Nowhere(Open):
    """An address below /api/ that no route has, whatever the method."""

    @extend_schema(exclude=True)
    def get(self, request: Request, **_: Any) -> Response:
        raise NotFound("route")

    post = put = patch = delete = get


class Docs(View):
    """Swagger's page from this server's own files: no other host, no inline script."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "rest/docs.html")
