"""The ASGI application at `/ws/o/{organization}/{bank}/live`.

It only ever says `{"kinds": {"memory": ["mem_..."]}}`; the page fetches what it shows by itself and
with its own rights. The session and the rights are looked at again before a message, at most once a
second, and every ten seconds without one; a socket that lost them is closed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from memory_app.live.standing import LATER, NOTHING_HERE, Standing, standing
from memory_app.services.live import group_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)

POLICY = 1008
FOREIGN_PAGE = 4403
TOO_MANY = 4429
SOCKETS_MOST = 50
CHECK_SECONDS = 10.0
CHECK_AGAIN_SECONDS = 1.0
LAYER_SECONDS = 2.0
_ADDRESS = re.compile(r"/ws/o/(?P<organization>[^/]+)/(?P<bank>[^/]+)/live")
_open: Counter[str] = Counter()


@dataclass(slots=True)
class Watch:
    """One socket that was let in."""

    cookies: str
    organization: str
    bank: str
    bank_id: str
    checked_at: float

    async def code(self) -> int:
        """0 while the watcher may go on, else what to close with."""
        found = await _standing(self.cookies, self.organization, self.bank)
        self.checked_at = time.monotonic()
        if found.code == LATER:
            return 0
        return found.code or (0 if found.bank_id == self.bank_id else NOTHING_HERE)


async def live(scope: Scope, receive: Receive, send: Send) -> None:
    """One socket from its handshake to its end."""
    await receive()
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    address = _ADDRESS.fullmatch(scope["path"])
    if address is None or not _own_page(headers.get(b"origin", ""), headers.get(b"host", "")):
        # Before it is accepted, this is a plain 403 of the handshake.
        return await _close(send, FOREIGN_PAGE)
    await send({"type": "websocket.accept"})
    cookies = headers.get(b"cookie", "")
    found = await _standing(cookies, address["organization"], address["bank"])
    if found.code:
        return await _close(send, found.code)
    if _open[found.user_id] >= SOCKETS_MOST:
        return await _close(send, TOO_MANY)
    _open[found.user_id] += 1
    try:
        watch = Watch(cookies, address["organization"], address["bank"], found.bank_id, 0.0)
        watch.checked_at = time.monotonic()
        await _watched(watch, receive, send)
    finally:
        _open[found.user_id] -= 1
        if not _open[found.user_id]:
            del _open[found.user_id]
    return None


async def _watched(watch: Watch, receive: Receive, send: Send) -> None:
    layer = get_channel_layer()
    group = group_of(watch.bank_id)
    try:
        channel = await asyncio.wait_for(layer.new_channel(), LAYER_SECONDS)
        await asyncio.wait_for(layer.group_add(group, channel), LAYER_SECONDS)
    except Exception as error:  # noqa: BLE001 each layer has errors of its own; the page polls instead
        logger.warning("live_away: %s: %.200s", type(error).__name__, error)
        return await _close(send, LATER)
    await send({"type": "websocket.send", "text": '{"kinds":{}}'})
    tasks = [
        asyncio.create_task(work)
        for work in (_listening(receive), _telling(watch, layer, channel, send), _checking(watch))
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            code = LATER if task.exception() else task.result()
            if code:
                await _close(send, code)
                break
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await _left(layer, group, channel)
    return None


async def _listening(receive: Receive) -> int:
    """Until the page is gone. It has nothing to say; one that speaks isn't ours."""
    message = await receive()
    return 0 if message["type"] == "websocket.disconnect" else POLICY


async def _telling(watch: Watch, layer: Any, channel: str, send: Send) -> int:
    while True:
        message = await layer.receive(channel)
        if time.monotonic() - watch.checked_at > CHECK_AGAIN_SECONDS:
            code = await watch.code()
            if code:
                return code
        await send({"type": "websocket.send", "text": json.dumps({"kinds": message["kinds"]})})


async def _checking(watch: Watch) -> int:
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        code = await watch.code()
        if code:
            return code


async def _left(layer: Any, group: str, channel: str) -> None:
    try:
        await asyncio.wait_for(layer.group_discard(group, channel), LAYER_SECONDS)
    except Exception as error:  # noqa: BLE001 a layer that is away has forgotten the group too
        logger.info("live_not_left: %s", type(error).__name__)


async def _standing(cookies: str, organization: str, bank: str) -> Standing:
    """In a thread of its own for the moment, so that sockets don't queue behind each other."""
    async with ThreadSensitiveContext():
        found: Standing = await database_sync_to_async(standing)(cookies, organization, bank)
        return found


async def _close(send: Send, code: int) -> None:
    await send({"type": "websocket.close", "code": code})


def _own_page(origin: str, host: str) -> bool:
    """Browsers always send an Origin here, and cookies with it: only our own pages may come in."""
    try:
        parts = urlsplit(origin)
        public = urlsplit(settings.PUBLIC_URL)
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return False
    if (parts.scheme, parts.netloc) == (public.scheme, public.netloc):
        return True
    domain, _port = split_domain_port(host)
    return parts.netloc == host and bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)
