"""Where a memory came from and whom it served: its ledger entries, versions and recalls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import LedgerEntry, Memory, MemoryVersion, Mention, Recall, RecallSave
from memory_app.queries.access import Access
from memory_app.queries.memories import find

_RECENT = 2_000
_LOOKED_AT = 200

# Who records a save has read the fact just now.
_OWN = """
SELECT id FROM (
  SELECT id, served FROM recalls WHERE bank_id = %(bank)s AND actor = %(reader)s
  ORDER BY id DESC LIMIT %(looked)s) AS own
WHERE served @@ %(memory)s::tsquery
ORDER BY id DESC LIMIT 1
"""

# By `recalls_served`. Kept apart so that the planner reckons with all rows and takes that index; no
# more rows are read than are looked at.
_SERVED = """
WITH served AS MATERIALIZED (
  SELECT id, actor FROM recalls
  WHERE bank_id = %(bank)s AND served @@ %(memory)s::tsquery
), looked AS (SELECT id, actor FROM served LIMIT %(looked)s)
SELECT id FROM looked ORDER BY (actor = %(reader)s) DESC, id DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Entries newest first, and the versions still kept, oldest first."""

    entries: tuple[LedgerEntry, ...]
    versions: tuple[MemoryVersion, ...]


def story(access: Access, memory_id: str, *, limit: int = 100) -> Story:
    """The newest `limit` changes of one memory. Two queries."""
    entries = LedgerEntry.objects.filter(bank_id=access.bank.id, target=memory_id)
    versions = MemoryVersion.objects.filter(bank_id=access.bank.id, memory_id=memory_id)
    return Story(
        entries=tuple(entries.order_by("-seq")[:limit]),
        versions=tuple(reversed(versions.order_by("-since")[:limit])),
    )


def origin_of(access: Access, memory: Memory) -> LedgerEntry | None:
    """The entry that made this memory, which `story` may have left behind. One query."""
    entries = LedgerEntry.objects.filter(bank_id=access.bank.id, seq=memory.created_watermark)
    return entries.first()


def recalls_serving(access: Access, memory_id: str, *, limit: int = 10) -> tuple[Recall, ...]:
    """The newest of the bank's last 2,000 recalls that returned this memory. One query."""
    recent = Recall.objects.filter(bank_id=access.bank.id).order_by("-id").values("id")[:_RECENT]
    served = Recall.objects.filter(
        bank_id=access.bank.id, id__in=recent, hits__contains=[{"id": memory_id}]
    )
    return tuple(served.order_by("-id")[:limit])


def last_recall_of(access: Access, memory_id: str, *, reader: str) -> str | None:
    """A recall that returned this memory, the reader's own and newer ones first; None when none did.

    Two queries at most, whatever the log's length: the newest of the reader's last 200, then the best
    of 200 that an index finds.
    """
    values: dict[str, Any] = {
        "bank": to_uuid("bank", access.bank.id),
        "memory": memory_id,
        "reader": reader,
        "looked": _LOOKED_AT,
    }
    with connection.cursor() as cursor:
        for statement in (_OWN, _SERVED):
            cursor.execute(statement, values)
            row = cursor.fetchone()
            if row is not None:
                return from_uuid("rec", row[0])
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Everything that tells where a memory comes from and what became of it (D9)."""

    memory: Memory
    story: Story
    mentions: tuple[Mention, ...]
    recalls: tuple[Recall, ...]
    saves: tuple[RecallSave, ...]
    superseded_by: Memory | None
    supersedes: tuple[Memory, ...]


def why(access: Access, reference: str) -> Why:
    """The provenance of one memory. Eight queries. Raises `NotFound`."""
    memory = find(access, reference)
    here = {"bank_id": access.bank.id, "memory_id": memory.id}
    saves = RecallSave.objects.filter(**here).order_by("-id")[:100]
    mentions = Mention.objects.filter(**here).select_related("entity").order_by("since", "id")
    beside = Memory.objects.filter(bank_id=access.bank.id)
    return Why(
        memory=memory,
        story=story(access, memory.id),
        mentions=tuple(mentions),
        recalls=recalls_serving(access, memory.id),
        saves=tuple(saves),
        superseded_by=beside.filter(id=memory.superseded_by).first()
        if memory.superseded_by
        else None,
        supersedes=tuple(beside.filter(superseded_by=memory.id).order_by("id")[:20]),
    )
