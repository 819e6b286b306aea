"""The bin of appendix files: a deleted file, with all its versions, can come back for 30 days.

It takes up the organization's room until it is gone for good: by `files.delete_file`, or by time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, NotFound
from memory_app.models import File
from memory_app.providers.clock import now
from memory_app.queries.access import resolve
from memory_app.services import ledger
from memory_app.services.files import find_inside, forget_bytes, group_of
from memory_app.services.memories.curating import BIN_DAYS

ROUND = 500


def bin_file(actor: Actor, bank: str | None, reference: str) -> list[File]:
    """Put a file with all its versions into the bin; its path is free again. Needs `full`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            found = find_inside(access, reference)
            rows = list(group_of(found))
            seq = book.append("bin_file", found.id, counters={"versions": len(rows)})
            group_of(found).filter(until=None).update(until=seq)
            group_of(found).update(deleted_at=book.moment)
        return rows


def restore_file(actor: Actor, bank: str | None, reference: str) -> File:
    """Out of the bin, any of its versions by id. Needs `full`.

    Raises `NotFound` when it isn't there, `Conflict` when another file lies under its path by now.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            found = find_inside(access, reference, binned=True)
            if found.deleted_at is None:
                raise NotFound("file in the bin")
            taken = File.objects.filter(bank_id=access.bank.id, path=found.path, until=None)
            if taken.exists():
                raise Conflict(
                    "Another file lies under this path by now.",
                    hint="Delete that one first, or keep it and leave this one in the bin.",
                    field="path",
                )
            newest = group_of(found).order_by("-version").first() or found
            group = group_of(found)
            book.append("restore_file", newest.id)
            group.filter(version=newest.version).update(until=None)
            group.update(deleted_at=None)
        newest.until, newest.deleted_at = None, None
        return newest


def list_binned(actor: Actor, bank: str | None, *, limit: int = 50) -> list[File]:
    """The last version of each file in the bin, the last deleted first. One query."""
    with acting_as(actor):
        access = resolve(actor, bank)
        rows = File.objects.filter(bank_id=access.bank.id, deleted_at__isnull=False)
        newest = rows.order_by("-deleted_at", "path", "-version").distinct("deleted_at", "path")
        return list(newest[:limit])


def purge_binned(actor: Actor, bank_id: str) -> int:
    """Files that have been in the bin for 30 days go for good, with their bytes; how many versions."""
    cutoff = now() - timedelta(days=BIN_DAYS)
    with acting_as(actor):
        access = resolve(actor, bank_id)
        old = File.objects.filter(bank_id=access.bank.id, deleted_at__lt=cutoff)
        if not old.exists():
            return 0
    with acting_as(actor), ledger.opened(access) as book:
        doomed = list(old.order_by("id")[:ROUND])
        for row in doomed:
            book.append("delete_file", row.id, reason=f"{BIN_DAYS} days in the bin")
        old.filter(id__in=[row.id for row in doomed]).delete()
        _forget_after(row.storage_name for row in doomed)
    return len(doomed)


def _forget_after(names: Iterable[str]) -> None:
    kept = list(names)
    transaction.on_commit(lambda: forget_bytes(kept), robust=True)
