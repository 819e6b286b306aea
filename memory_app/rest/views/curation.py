"""What a curator does to one memory, and what was done to it before."""

from __future__ import annotations

from memory_app.domain.values import parse_integer
from memory_app.queries import memories as queries
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import version_reply
from memory_app.rest.serializers.memories import (
    WATERMARK_MOST,
    ErasedOut,
    HistoryOut,
    MemoryOut,
    RetireIn,
    VersionOut,
)
from memory_app.services import memories
from memory_app.services.replies import memory_reply

GROUP = "memories"


class Pin(Endpoint):
    @operation("pin_memory", "Put a memory first in the profile", answer=MemoryOut, group=GROUP)
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.pin(call.actor, bank, memory))


class Unpin(Endpoint):
    @operation("unpin_memory", "Take the pin off", answer=MemoryOut, group=GROUP)
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.unpin(call.actor, bank, memory))


class ConfirmPin(Endpoint):
    @operation("confirm_pin", "Say that an old pin still holds", answer=MemoryOut, group=GROUP)
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.confirm_pin(call.actor, bank, memory))


class Retire(Endpoint):
    @operation(
        "retire_memory",
        "Mark a memory as outdated: it leaves search and profile and stays readable",
        body=RetireIn,
        answer=MemoryOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.retire(call.actor, bank, memory, **call.given))


class Revive(Endpoint):
    @operation("revive_memory", "Bring a retired memory back", answer=MemoryOut, group=GROUP)
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.revive(call.actor, bank, memory))


class Restore(Endpoint):
    @operation("restore_memory", "Take a memory out of the bin", answer=MemoryOut, group=GROUP)
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.restore(call.actor, bank, memory))


class Erase(Endpoint):
    @operation(
        "erase_memory",
        "Erase a memory of the bin for good, with its content in the ledger",
        answer=ErasedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, memory: str) -> Body:
        return {"id": memories.erase(call.actor, bank, memory), "erased": True}


class History(Endpoint):
    @operation("get_history", "Every kept version, newest first", answer=HistoryOut, group=GROUP)
    def get(self, call: Call, bank: str, memory: str) -> Body:
        with call.reading(bank) as access:
            versions = queries.history(access, memory)
        return {"versions": [version_reply(version) for version in versions]}


class AtWatermark(Endpoint):
    @operation(
        "get_version", "The memory as it stood at a watermark", answer=VersionOut, group=GROUP
    )
    def get(self, call: Call, bank: str, memory: str, watermark: int) -> Body:
        moment = parse_integer(
            watermark, field="watermark", least=0, most=WATERMARK_MOST, default=0
        )
        with call.reading(bank) as access:
            return version_reply(queries.at_watermark(access, memory, moment))
