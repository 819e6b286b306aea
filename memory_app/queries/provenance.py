"""Where a memory came from and whom it served: its ledger entries, versions and recalls."""

from __future__ import annotations

from dataclasses import dataclass

from memory_app.models import LedgerEntry, MemoryVersion, Recall
from memory_app.queries.access import Access

_RECENT = 2_000


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


def recalls_serving(access: Access, memory_id: str, *, limit: int = 10) -> tuple[Recall, ...]:
    """The newest of the bank's last 2,000 recalls that returned this memory. One query."""
    recent = Recall.objects.filter(bank_id=access.bank.id).order_by("-id").values("id")[:_RECENT]
    served = Recall.objects.filter(
        bank_id=access.bank.id, id__in=recent, hits__contains=[{"id": memory_id}]
    )
    return tuple(served.order_by("-id")[:limit])
