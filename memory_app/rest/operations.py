"""One operation: read the query and the body, call one thing, answer. What all endpoints share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actor import Actor
from accounts.services.connections import note_seen_at
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.queries.access import Access, resolve
from memory_app.rest import paging, problems
from memory_app.rest.authentication import KeyAuthentication, SessionAuthentication
from memory_app.rest.parsing import Shape, parse_body, parse_json, parse_query
from memory_app.rest.requests import refuse_unstorable, request_id
from memory_app.rest.serializers.problems import ProblemOut
from memory_app.services import usage
from memory_app.services.idempotency import Reply, request_digest, with_idempotency

IDEMPOTENCY_HEADER = "Idempotency-Key"
PAGE_ROWS = 50
_ETAG = re.compile(r'(?:W/)?"(\d{1,18})"')
_WRITES = ("POST", "PATCH", "PUT", "DELETE")

Body = Mapping[str, Any]
Handler = Callable[..., "Reply | Body"]
Rows = Callable[[dict[str, Any], "str | None", int], "tuple[list[dict[str, Any]], str | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request whose every part has been read and checked."""

    actor: Actor
    where: Mapping[str, Any]
    given: Mapping[str, Any]
    if_match: int | None
    # The answers to what the endpoint foresaw, if they came along with the key.
    foreseen: Any = None

    @contextmanager
    def reading(self, bank: str) -> Iterator[Access]:
        """A transaction in the bank of that slug or id. Raises `NotFound`."""
        with acting_as(self.actor):
            yield resolve(self.actor, bank)

    @property
    def expected_watermark(self) -> int | None:
        """From the body or If-Match. Raises `InvalidArgument` when the two disagree."""
        given = self.given.get("expected_watermark")
        if given is not None and self.if_match is not None and given != self.if_match:
            raise InvalidArgument(
                f"expected_watermark is {given}, but If-Match says {self.if_match}.",
                hint="Send one of the two.",
                field="expected_watermark",
            )
        return given if given is not None else self.if_match

    def page(self, name: str, rows: Rows, *, of: str) -> Body:
        """One page of a list: `rows(filters, after, limit)` answers the items and where to go on."""
        filters, after = paging.resume(self.where, of=of)
        items, following = rows(filters, after, self.where.get("limit", PAGE_ROWS))
        body: dict[str, Any] = {name: items}
        if following is not None:
            body["next_cursor"] = paging.cursor(filters, of=of, after=following)
        return body


class JsonOnly(BaseContentNegotiation):
    """JSON whatever was asked for: a client that sends an odd Accept still gets its answer."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class Endpoint(APIView):
    """Authentication, the key's rate, and one form of answer."""

    authentication_classes: Sequence[type[BaseAuthentication]] = (
        KeyAuthentication,
        SessionAuthentication,
    )
    permission_classes = ()
    throttle_classes = ()
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = JsonOnly
    metadata_class = None
    rate: usage.Rate | None = None
    http_method_names = ("get", "post", "patch", "put", "delete", "head")

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        # A charset such as "hex" in Content-Type would make Django fail on reading the query string.
        request.encoding = "utf-8"
        return super().dispatch(request, *args, **kwargs)

    def foresees(self, request: Request) -> Any:
        """What the request will need to know, so that it is asked in one message with the key; None
        mostly. Comes before anything is checked, so it may neither fail nor change anything.
        """
        return None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            refuse_unstorable(str(value), field=name)
        super().initial(request, *args, **kwargs)
        if request.auth is None:
            raise problems.no_credential()
        self.rate = usage.check_rate(self.actor, getattr(request, "rate_counted", None))
        if "bank" in kwargs:
            note_seen_at(self.actor, str(kwargs["bank"]))

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers.setdefault("X-Request-Id", request_id(request))
        response.headers.setdefault("Cache-Control", "no-store")
        if self.rate is not None:
            response.headers["RateLimit-Limit"] = str(self.rate.limit)
            response.headers["RateLimit-Remaining"] = str(self.rate.remaining)
            response.headers["RateLimit-Reset"] = str(self.rate.seconds)
        return super().finalize_response(request, response, *args, **kwargs)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        raise problems.method_refused(str(request.method), self.allowed_methods)

    @property
    def actor(self) -> Actor:
        return self.request.auth  # type: ignore[return-value]


def operation(
    name: str,
    summary: str,
    *,
    answer: Shape | None = None,
    answers: Mapping[int, Shape | tuple[Shape, ...] | None] | None = None,
    query: Shape | None = None,
    body: Shape | tuple[Shape, ...] = (),
    group: str,
) -> Callable[[Handler], Callable[..., Response]]:
    """Make `handler(self, call, **path)` an operation, and describe it in the schema.

    The handler answers a body (200) or a `Reply`. Writes honour Idempotency-Key: the first answer is
    kept where it was a success; a refusal has changed nothing and is not kept.
    """
    shapes = body if isinstance(body, tuple) else (body,)
    described = _description(name, summary, answers or {200: answer}, query, shapes, group)

    def decorate(handler: Handler) -> Callable[..., Response]:
        @wraps(handler)
        def answered(self: Endpoint, request: Request, **path: str) -> Response:
            call = _read(replace(self.actor, tool=name), request, query, shapes)
            key = request.headers.get(IDEMPOTENCY_HEADER) if request.method in _WRITES else None
            reply = with_idempotency(
                self.actor, key, _digest(request), lambda: _reply(handler(self, call, **path))
            )
            return _respond(request, reply, call)

        return extend_schema(**described)(answered)

    return decorate


def _read(actor: Actor, request: Request, query: Shape | None, shapes: tuple[Shape, ...]) -> Call:
    where = parse_query(query, request.query_params)
    has_body = request.method in _WRITES
    return Call(
        actor=actor,
        where=where,
        given=parse_body(shapes, _sent(request)) if has_body else {},
        if_match=_if_match(request.headers.get("If-Match")) if has_body else None,
        foreseen=getattr(request, "foreseen", None),
    )


def _sent(request: Request) -> Any:
    """The body's JSON, read from the bytes: a chunked request has no length to go by."""
    body = request._request.body
    if not body.strip():
        return {}
    media_type = (request.content_type or "").partition(";")[0].strip().lower()
    if media_type != JSONParser.media_type:
        raise UnsupportedMediaType(media_type)
    return parse_json(body)


def _if_match(header: str | None) -> int | None:
    if header is None or header.strip() == "*":
        return None
    found = _ETAG.fullmatch(header.strip())
    if found is None:
        raise InvalidArgument(
            "If-Match must hold the one ETag of a memory.",
            hint='Send its head_watermark in quotes, as in If-Match: "12".',
            field="If-Match",
        )
    return int(found[1])


def _digest(request: Request) -> str:
    raw = request._request
    return request_digest(request.method, raw.get_full_path(), hashlib.sha256(raw.body).hexdigest())


def _reply(answer: Reply | Body) -> Reply:
    return answer if isinstance(answer, Reply) else Reply(status=200, body=answer)


def _respond(request: Request, reply: Reply, call: Call) -> Response:
    response = Response(reply.body, status=reply.status)
    if reply.replayed:
        response["Idempotency-Replayed"] = "true"
    if isinstance(reply.body, Mapping):
        memory = reply.body.get("memory", reply.body)
        if "head_watermark" in memory and "hash" in memory:
            response["ETag"] = f'"{memory["head_watermark"]}"'
        if "next_cursor" in reply.body:
            response["Link"] = paging.next_link(
                request.path, reply.body["next_cursor"], call.where.get("limit")
            )
    return response


def _description(
    name: str,
    summary: str,
    answers: Mapping[int, Shape | tuple[Shape, ...] | None],
    query: Shape | None,
    shapes: tuple[Shape, ...],
    group: str,
) -> dict[str, Any]:
    responses: dict[Any, Any] = {status: _one_of(shape) for status, shape in answers.items()}
    responses["4XX", problems.CONTENT_TYPE] = ProblemOut
    responses["5XX", problems.CONTENT_TYPE] = ProblemOut
    return {
        "operation_id": name,
        "summary": summary,
        "request": _one_of(shapes),
        "responses": responses,
        "parameters": ([] if query is None else [query]) + _headers(name),
        "tags": [group],
    }


def _one_of(shapes: Shape | tuple[Shape, ...] | None) -> Any:
    """One shape as it is; of several, a component that is any one of them."""
    if not isinstance(shapes, tuple):
        return shapes
    if len(shapes) < 2:
        return shapes[0] if shapes else None
    return PolymorphicProxySerializer(
        component_name="Or".join(shape.__name__ for shape in shapes),
        serializers=list(shapes),
        resource_type_field_name=None,
    )


def _headers(name: str) -> list[Any]:
    if name.startswith(("list_", "get_", "read_", "search_", "verify_", "recall_")):
        return []
    return [
        OpenApiParameter(
            IDEMPOTENCY_HEADER,
            str,
            OpenApiParameter.HEADER,
            required=False,
            description="A fresh text for each request; a repeat within 24 hours gets the first answer.",
        )
    ]
