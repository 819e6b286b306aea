"""The ASGI application at `/mcp` and `/mcp/{bank}`: who may come in, then one exchange by the SDK.

A session manager is made for each request. That costs nothing measurable, needs no lifespan, and
leaves nothing in the process that another worker would miss. Django's request signals don't reach
this far, so database connections are looked after here, and a thread-sensitive context keeps the
calls of all clients from queueing up in one thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs
from uuid import uuid4

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from accounts.services.connections import parse_toolsets
from memory_app.domain.errors import NotFound, ProductError, Unauthenticated
from memory_app.mcp import answers, bodies, gate
from memory_app.mcp.answers import Receive, Scope, Send
from memory_app.mcp.arguments import refuse_repeated
from memory_app.mcp.caller import Caller, admit
from memory_app.mcp.calling import database_is_down
from memory_app.mcp.server import CALLER, build_server

# A file of 1 MB in base64, with room for what surrounds it.
BODY_LIMIT = 3 * 512 * 1024
_BOTH_FORMS = (b"accept", b"application/json, text/event-stream")
_ADDRESS = re.compile(r"/mcp(?:/(?P<bank>[^/]+))?/?")
_REQUEST_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)


def is_mcp(path: str) -> bool:
    """Whether this application answers for a path."""
    return path == "/mcp" or path.startswith("/mcp/")


@dataclass(frozen=True, slots=True)
class Headers:
    """The request's headers by lower-case name; the last of several counts."""

    values: dict[bytes, bytes]

    def __getitem__(self, name: str) -> str:
        return self.values.get(name.encode(), b"").decode("latin-1")


class McpEndpoint:
    """One exchange per request; see the module's text."""

    def __init__(self) -> None:
        self._server = build_server()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Not every HTTP parser cuts the white space around a value off, and the SDK compares values.
        plain = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        scope = {**scope, "headers": plain}
        headers = Headers(dict(plain))
        request_id = _request_id(headers["x-request-id"])
        send = answers.with_headers(send, (b"x-request-id", request_id.encode()))
        origin = headers["origin"]
        try:
            gate.check(host=headers["host"], origin=origin)
        except ProductError as error:
            return await answers.refuse(send, error)
        if origin:
            send = answers.readable_by(send, origin.encode("latin-1"))
        if scope["method"] == "OPTIONS":
            return await answers.preflight(send)
        async with ThreadSensitiveContext():
            try:
                await self._admitted(scope, receive, send, headers, request_id)
            finally:
                await sync_to_async(close_old_connections)()

    async def _admitted(
        self, scope: Scope, receive: Receive, send: Send, headers: Headers, request_id: str
    ) -> None:
        """Credential, then bank, then session and method: whoever has no key learns nothing else."""
        scheme, _, secret = headers["authorization"].partition(" ")
        try:
            if scheme.lower() != "bearer" or not secret.strip():
                raise _no_key()
            caller = await sync_to_async(_admit)(scope, headers, secret.strip(), request_id)
        except Unauthenticated as error:
            return await answers.challenge(send, error, presented=bool(secret))
        except ProductError as error:
            return await answers.refuse(send, error)
        except (OperationalError, InterfaceError):
            return await answers.refuse(send, database_is_down(), ((b"retry-after", b"5"),))
        if headers["mcp-session-id"] and _handshake_era(headers["mcp-protocol-version"]):
            return await answers.refuse(send, NotFound("session"))
        if scope["method"] != "POST":
            return await answers.answer(send, 405, headers=((b"allow", b"POST"),))
        return await self._exchange({**scope, CALLER: caller}, receive, send, headers)

    async def _exchange(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        body, receive = await bodies.peeked(receive, BODY_LIMIT)
        repeated = bodies.repeated_name(body)
        if repeated is not None:
            return await answers.refuse(send, refuse_repeated(repeated))
        accept = headers["accept"]
        manager = StreamableHTTPSessionManager(
            app=self._server,
            stateless=True,
            # Who can't read an event stream gets plain JSON; the SDK would refuse with 406.
            json_response=bool(accept) and "event-stream" not in accept and "*" not in accept,
            max_request_body_size=BODY_LIMIT,
        )
        others = [header for header in scope["headers"] if header[0] != b"accept"]
        scope = {**scope, "headers": [*others, _BOTH_FORMS]}
        async with manager.run():
            await manager.handle_request(scope, receive, answers.line_by_line(send))
        return None


def _admit(scope: Scope, headers: Headers, secret: str, request_id: str) -> Caller:
    close_old_connections()
    address = _ADDRESS.fullmatch(scope["path"])
    return admit(
        secret,
        # An address that can't name a bank is answered like one that names an unknown one.
        bank=address["bank"] if address and scope["path"].isprintable() else "",
        toolsets=_narrowed(scope["query_string"]),
        client=headers["user-agent"][:300],
        request_id=request_id,
    )


def _narrowed(query: bytes) -> tuple[str, ...] | None:
    """`?toolsets=essential,graph`; absent means everything that the connection allows."""
    given = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("toolsets")
    return None if given is None else tuple(parse_toolsets(",".join(given)))


def _handshake_era(version: str) -> bool:
    """The revisions that had sessions; without a header it is the first of them."""
    return not version or version in HANDSHAKE_PROTOCOL_VERSIONS


def _request_id(given: str) -> str:
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex


def _no_key() -> Unauthenticated:
    return Unauthenticated(
        "This address needs an API key.",
        hint="Send it as 'Authorization: Bearer cpl_...'. The dashboard's connect page makes one.",
    )
