"""Figures that recall reads, and what would otherwise wait for nobody. Safe to run at any time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.db import connection

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.models import Job, Memory
from memory_app.providers.clock import now
from memory_app.queries import terms
from memory_app.queries.access import Access, resolve
from memory_app.services import jobs, pictures, proposals, reembedding, vector_index

# Pending for longer than this without a job: its job failed for good, or came from a backup.
FORGOTTEN = timedelta(minutes=15)
FORGOTTEN_LIMIT = 500


def tend(actor: Actor, bank_id: str) -> bool:
    """One bank's round: nothing but a cache look-up and a query when it hasn't changed."""
    with acting_as(actor):
        access = resolve(actor, bank_id)
        requeue_pending(access)
    reembedding.tend(actor, bank_id)
    key = f"upkeep:{bank_id}"
    if cache.get(key) == access.bank.head_watermark:
        return False
    refresh_terms(actor, bank_id)
    proposals.close_fallen(actor, bank_id)
    pictures.refresh(actor, bank_id)
    with acting_as(actor):
        current = resolve(actor, bank_id)
        if vector_index.wanted(current.bank) != bool(current.bank.vector_index):
            _enqueue_once(current, "build_vector_index")
    cache.set(key, access.bank.head_watermark, timeout=None)
    return True


def refresh_terms(actor: Actor, bank: str) -> int:
    """Count the bank's live cells and its common lexemes anew; returns how many lexemes are common.

    One round of a bank at a time; a second one waits.
    """
    with acting_as(actor), connection.cursor() as cursor:
        access = resolve(actor, bank)
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [access.bank.id])
        return terms.refresh_terms(access.bank)


def requeue_pending(access: Access) -> int:
    """Give memories that wait for their vectors with no job a job; how many. Two queries."""
    waiting = Memory.objects.filter(
        bank_id=access.bank.id,
        indexed_at=None,
        retired_at=None,
        deleted_at=None,
        updated_at__lt=now() - FORGOTTEN,
    )
    ids = list(waiting.order_by("id").values_list("id", flat=True)[:FORGOTTEN_LIMIT])
    if not ids or not _enqueue_once(access, "index_memories", memory_ids=ids):
        return 0
    return len(ids)


def _enqueue_once(access: Access, task: str, **arguments: Any) -> bool:
    """Not while a job of that kind waits in this bank."""
    if Job.objects.filter(bank_id=access.bank.id, task=task, failed_at=None).exists():
        return False
    jobs.enqueue(access, task, **arguments)
    return True
