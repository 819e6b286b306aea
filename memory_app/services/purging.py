"""What has outlived its time goes for good: the bin, history, read logs, keys of old requests.

Everything here is bounded and runs again in an hour; a round that is cut short loses nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import connection, connections, transaction
from ulid import ULID

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import (
    BulkOperation,
    ImportLine,
    Job,
    LedgerEntry,
    Memory,
    Recall,
    SavedView,
)
from memory_app.providers.clock import now
from memory_app.queries.access import Access, resolve
from memory_app.services import files_bin, idempotency, importing, ledger, usage
from memory_app.services.memories.curating import BIN_DAYS

RECALL_DAYS = 90
FAILED_JOB_DAYS = 30
BULK_DAYS = 90
VIEW_DAYS = 30
ROUND = 5_000
BINNED_ROUND = 500

_VERSIONS = """
DELETE FROM memory_versions WHERE bank_id = %(bank)s AND id IN (
  SELECT id FROM memory_versions
  WHERE bank_id = %(bank)s AND until <= %(watermark)s LIMIT %(round)s)
"""
# The last cells of a retired or binned memory stay, vectors and all: reviving it needs them.
_CELLS = """
DELETE FROM cells WHERE bank_id = %(bank)s AND id IN (
  SELECT c.id FROM cells c JOIN memories m ON m.bank_id = c.bank_id AND m.id = c.memory_id
  WHERE c.bank_id = %(bank)s AND c.until <= %(watermark)s
    AND ((m.retired_at IS NULL AND m.deleted_at IS NULL) OR c.until < (
      SELECT max(x.until) FROM cells x WHERE x.bank_id = c.bank_id AND x.memory_id = c.memory_id))
  LIMIT %(round)s)
"""
_ERASED = """
SELECT DISTINCT gone.target FROM ledger_entries gone
WHERE gone.bank_id = %(bank)s AND gone.operation IN ('erase', 'purge') AND EXISTS (
  SELECT 1 FROM ledger_entries e JOIN ledger_contents c ON c.bank_id = e.bank_id AND c.seq = e.seq
  WHERE e.bank_id = gone.bank_id AND e.target = gone.target)
LIMIT %(round)s
"""
_CONTENTS = """
DELETE FROM ledger_contents c USING ledger_entries e
WHERE c.bank_id = %(bank)s AND e.bank_id = c.bank_id AND e.seq = c.seq
  AND e.target = ANY(%(targets)s)
"""


def purge(actor: Actor, bank_id: str) -> dict[str, int]:
    """One bank's round; how many rows of each kind went. About ten statements."""
    gone = {"memories": _empty_bin(actor, bank_id), "contents": _forget_erased(actor, bank_id)}
    with acting_as(actor):
        access = resolve(actor, bank_id)
        gone |= _history(access)
        gone |= _logs(access)
    gone["files"] = files_bin.purge_binned(actor, bank_id)
    gone["imports"] = importing.forget_drafts(actor, bank_id)
    gone["usage"] = usage.forget_old_usage(actor)
    gone["request_keys"] = idempotency.forget_old_keys(actor)
    return gone


def _forget_erased(actor: Actor, bank_id: str) -> int:
    """What the ledger and import reports still say of memories that were erased or purged."""
    with acting_as(actor), connection.cursor() as cursor:
        cursor.execute(_ERASED, {"bank": to_uuid("bank", bank_id), "round": BINNED_ROUND})
        targets = [str(row[0]) for row in cursor.fetchall()]
        if targets:
            lines = ImportLine.objects.filter(bank_id=bank_id, memory_id__in=targets)
            lines.update(text="")
    return redact(actor, bank_id, targets) if targets else 0


def redact(actor: Actor, bank_id: str, targets: list[str]) -> int:
    """Erase what the ledger kept of these targets' contents; entries and chain stay whole.

    By the owner's connection: the application may not delete from the ledger.
    """
    owner = connections["owner"]
    with transaction.atomic(using="owner"), owner.cursor() as cursor:
        organization = str(to_uuid("org", actor.organization_id))
        cursor.execute("SELECT set_config('app.organization', %s, true)", [organization])
        cursor.execute(_CONTENTS, {"bank": to_uuid("bank", bank_id), "targets": targets})
        return int(cursor.rowcount)


def _empty_bin(actor: Actor, bank_id: str) -> int:
    """Memories that have been in the bin for 30 days, with all that hangs on them."""
    cutoff = now() - timedelta(days=BIN_DAYS)
    with acting_as(actor):
        access = resolve(actor, bank_id)
        old = Memory.objects.filter(bank_id=access.bank.id, deleted_at__lt=cutoff)
        ids = [str(row.id) for row in old.only("bank_id", "id").order_by("id")[:BINNED_ROUND]]
    if not ids:
        return 0
    with acting_as(actor), ledger.opened(access) as book:
        still = Memory.objects.filter(bank_id=book.bank.id, id__in=ids, deleted_at__lt=cutoff)
        found = list(still.only("bank_id", "id", "head_watermark"))
        for memory in found:
            book.append(
                "purge", memory.id, before=memory.head_watermark, reason="30 days in the bin"
            )
        Memory.objects.filter(
            bank_id=book.bank.id, id__in=[memory.id for memory in found]
        )._raw_delete("default")
    return len(found)


def _history(access: Access) -> dict[str, int]:
    """Versions and closed cells that ended before the bank's history window."""
    watermark = _watermark_at(access, now() - timedelta(days=access.bank.history_days))
    if watermark is None:
        return {"versions": 0, "cells": 0}
    values: dict[str, Any] = {
        "bank": to_uuid("bank", access.bank.id),
        "watermark": watermark,
        "round": ROUND,
    }
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, values)
        versions = cursor.rowcount
        cursor.execute(_CELLS, values)
        return {"versions": versions, "cells": cursor.rowcount}


def _logs(access: Access) -> dict[str, int]:
    bank, moment = access.bank, now()
    oldest = _first_id("rec", moment - timedelta(days=RECALL_DAYS))
    failed_before = moment - timedelta(days=FAILED_JOB_DAYS)
    removed_before = moment - timedelta(days=VIEW_DAYS)
    doomed = {
        "recalls": Recall.objects.filter(bank_id=bank.id, id__lt=oldest),
        "jobs": Job.objects.filter(bank_id=bank.id, failed_at__lt=failed_before),
        "views": SavedView.objects.filter(bank_id=bank.id, deleted_at__lt=removed_before),
        "bulk_operations": BulkOperation.objects.filter(
            bank_id=bank.id, finished_at__lt=moment - timedelta(days=BULK_DAYS)
        ),
    }
    return {name: rows._raw_delete("default") for name, rows in doomed.items()}


def _watermark_at(access: Access, moment: datetime) -> int | None:
    """The last number that the ledger had given out at that instant."""
    entries = LedgerEntry.objects.filter(bank_id=access.bank.id, created_at__lte=moment)
    newest = entries.order_by("-created_at", "-seq").values_list("seq", flat=True).first()
    return None if newest is None else int(newest)


def _first_id(prefix: str, moment: datetime) -> str:
    """The smallest id that could have been made at that instant: ids rise with time."""
    stamp = int(moment.timestamp() * 1000).to_bytes(6, "big")
    return from_uuid(prefix, ULID(stamp + bytes(10)).to_uuid())
