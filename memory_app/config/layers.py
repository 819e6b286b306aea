"""A channel layer for one process whose servers and workers are threads with loops of their own."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

from channels.layers import InMemoryChannelLayer


class ThreadsLayer(InMemoryChannelLayer):  # type: ignore[misc]  # untyped
    """Wakes each listener in its own loop; the layer it stands on knows only one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}

    async def group_add(self, group: str, channel: str) -> None:
        self._loops[channel] = asyncio.get_running_loop()
        await super().group_add(group, channel)

    async def group_discard(self, group: str, channel: str) -> None:
        self._loops.pop(channel, None)
        await super().group_discard(group, channel)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        for channel in list(self.groups.get(group, ())):
            loop = self._loops.get(channel)
            if loop is not None and not loop.is_closed():
                loop.call_soon_threadsafe(self._put, channel, deepcopy(message))

    def _put(self, channel: str, message: dict[str, Any]) -> None:
        asyncio.ensure_future(self.send(channel, message)).add_done_callback(_seen)


def _seen(sent: asyncio.Future[None]) -> None:
    """A full channel drops the message, as every layer may."""
    if not sent.cancelled():
        sent.exception()
