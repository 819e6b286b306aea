"""Another embedding model for a bank: built beside, compared, switched in one transaction, kept a week.

The bank is served by its own model all the while. What is written meanwhile gets its second vector by
the next round (every five minutes), and at the latest inside the switch, which takes the bank's lock
and refuses to happen while one is missing: vectors of two models never stand in one place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection
from pgvector import HalfVector

from accounts.actor import Actor
from accounts.roles import require_own
from accounts.services.audit import record
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound
from memory_app.domain.ids import to_uuid
from memory_app.domain.text import clean
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Bank, OtherVector, Reembedding
from memory_app.providers.clock import now
from memory_app.providers.embedding import get_embedder, served_models
from memory_app.queries.access import Access, resolve
from memory_app.queries.reembedding import (
    CELLS_LACKING,
    NOWHERE,
    PROBES_LACKING,
    Extent,
    extent,
    lacking,
)
from memory_app.services import ledger, vector_index
from memory_app.services.jobs import enqueue
from memory_app.services.memories.embedding import embed_texts

BATCH = 64
KEPT_DAYS = 7
MODEL_LIMIT = 120
# What the switch itself embeds under the lock; more is caught up outside of it first.
UNDER_LOCK = 128

# One statement, so that each part reads the vectors as they were before any of them moved.
_TAKE = """
UPDATE {table} c SET embedding = o.embedding, compact = %(compact)s FROM other_vectors o
WHERE c.bank_id = %(bank)s AND o.bank_id = %(bank)s AND o.owner_id = c.id AND o.model = %(new)s
  AND c.embedding IS NOT NULL
"""
_EXCHANGE = """
WITH cells_taken AS ({cells}), probes_taken AS ({probes})
UPDATE other_vectors o SET embedding = k.embedding, model = %(old)s FROM (
  SELECT c.id, c.embedding FROM cells c WHERE c.bank_id = %(bank)s AND c.embedding IS NOT NULL
  UNION ALL
  SELECT p.id, p.embedding FROM entity_probes p
  WHERE p.bank_id = %(bank)s AND p.embedding IS NOT NULL) k
WHERE o.bank_id = %(bank)s AND o.owner_id = k.id AND o.model = %(new)s
"""
_LEFT_OVER = "DELETE FROM other_vectors WHERE bank_id = %(bank)s AND model = %(new)s"

Report = Callable[[int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The second model of a bank, how far it is, and what could become one."""

    bank: Bank
    open: Reembedding | None
    extent: Extent | None
    models: tuple[str, ...]


def look_at(actor: Actor, bank: str) -> Standing:
    """For the page and the command; two statements and one that counts the bank."""
    with acting_as(actor):
        access = resolve(actor, bank)
        row = _row(access.bank)
        reached = extent(access.bank, row.model) if row else None
    models = tuple(each for each in served_models() if each != access.bank.embedding_model)
    return Standing(bank=access.bank, open=row, extent=reached, models=models)


def start(actor: Actor, bank: str, model: object) -> Reembedding:
    """Begin to build the vectors of another model. Administrators, and the bank's maker.

    Raises `InvalidArgument` for a model that this server doesn't run, and `Conflict` while another one
    is being built or kept.
    """
    with acting_as(actor):
        found = resolve(actor, bank).bank
        require_own(actor, found.created_by, to="change this bank's model")
    chosen = _served(model)
    dimensions = get_embedder(chosen).dimensions
    try:
        with _changing(actor, bank) as (access, book):
            if chosen == book.bank.embedding_model:
                raise InvalidArgument(
                    "The bank has this model already.", hint="Choose another.", field="model"
                )
            row = Reembedding(
                organization_id=book.bank.organization_id,
                bank_id=book.bank.id,
                model=chosen,
                dimensions=dimensions,
                created_by=actor.id,
            )
            row.save(force_insert=True)
            book.append("bank.reembedding_started", book.bank.id, content={"model": chosen})
            record(actor, "bank.reembedding_started", book.bank.id, model=chosen)
            enqueue(access, "reembed")
    except IntegrityError:
        raise Conflict(
            "This bank has a second model already.",
            hint="Switch to it, or drop it first.",
            field="model",
        ) from None
    return row


def build(actor: Actor, bank: str, *, report: Report = lambda _: None) -> int:
    """Make the vectors that the second model lacks; how many were made.

    In batches of 64, each a transaction of its own, so that a round that is stopped goes on where it
    was. Ends when nothing is lacking, or when the second model was dropped meanwhile.
    """
    made = 0
    for statement in (CELLS_LACKING, PROBES_LACKING):
        after: UUID = NOWHERE
        while True:
            with acting_as(actor):
                found = resolve(actor, bank).bank
                row = _row(found)
                texts = (
                    lacking(statement, found, row.model, after=after, limit=BATCH) if row else []
                )
            if row is None or not texts:
                break
            made += _store(actor, found, row, texts)
            after = texts[-1][0]
            report(made)
    with acting_as(actor):
        found = resolve(actor, bank).bank
        Reembedding.objects.filter(bank_id=found.id, status=Reembedding.Status.BUILDING).update(
            status=Reembedding.Status.READY
        )
    return made


def switch(actor: Actor, bank: str, *, to: object) -> Bank:
    """Let the model of the id `to` take over, in one transaction; the other one is kept for a week.

    Back again is the same call with the other id, and asking twice changes nothing: a bank that has the
    model already is answered as it is. Writers wait for as long as it takes (three passes over the bank);
    readers see the one or the other. A big bank reads exactly until its index is built anew. Raises
    `InvalidArgument` without an id, and `Conflict` where the bank has no second model of that id or
    its vectors aren't ready.
    """
    wanted = clean(to, field="to", limit=MODEL_LIMIT, least=1, lines=False)
    with acting_as(actor):
        access = resolve(actor, bank)
        require_own(actor, access.bank.created_by, to="change this bank's model")
        if access.bank.embedding_model == wanted:
            return access.bank
        _require_ready(_row(access.bank), wanted)
    build(actor, access.bank.id)
    vector_index.drop(actor, access.bank.id)
    with _changing(actor, access.bank.id) as (locked, book):
        if book.bank.embedding_model != wanted:
            row = _require_ready(_row(book.bank), wanted)
            _catch_up(locked, book.bank, row)
            _take_over(actor, book, row)
        # Also for the one that came second: it dropped the index that the first one had built.
        enqueue(locked, "build_vector_index")
    with acting_as(actor):
        return Bank.objects.get(id=access.bank.id)


def drop(actor: Actor, bank: str) -> None:
    """Stop the build, or give up the model of before; the bank's own vectors aren't touched."""
    with _changing(actor, bank) as (_, book):
        row = _row(book.bank)
        if row is None:
            raise NotFound("second model of this bank")
        _forget(book.bank)
        book.append("bank.reembedding_dropped", book.bank.id, content={"model": row.model})
        record(actor, "bank.reembedding_dropped", book.bank.id, model=row.model)


def tend(actor: Actor, bank_id: str) -> int:
    """Every five minutes: second vectors of what was written since, and an end after the week."""
    with acting_as(actor):
        bank = resolve(actor, bank_id).bank
        row = _row(bank)
        if row is None or row.status == Reembedding.Status.BUILDING:
            return 0
        if row.kept_until is not None and row.kept_until < now():
            _forget(bank)
            return 0
    return build(actor, bank_id)


@contextmanager
def _changing(actor: Actor, bank: str) -> Iterator[tuple[Access, ledger.Book]]:
    with acting_as(actor):
        access = resolve(actor, bank)
        require_own(actor, access.bank.created_by, to="change this bank's model")
        with ledger.opened(access) as book:
            yield access, book


def _row(bank: Bank) -> Reembedding | None:
    return Reembedding.objects.filter(bank_id=bank.id).first()


def _forget(bank: Bank) -> None:
    OtherVector.objects.filter(bank_id=bank.id)._raw_delete("default")
    Reembedding.objects.filter(bank_id=bank.id).delete()


def _take_over(actor: Actor, book: ledger.Book, row: Reembedding) -> None:
    """The row's model becomes the bank's, and the bank's the one that is kept."""
    old = (book.bank.embedding_model, book.bank.dimensions)
    _exchange(book.bank, row)
    Reembedding.objects.filter(bank_id=book.bank.id).delete()
    Reembedding.objects.create(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        model=old[0],
        dimensions=old[1],
        status=Reembedding.Status.KEPT,
        created_by=actor.id,
        switched_at=book.moment,
        kept_until=book.moment + timedelta(days=KEPT_DAYS),
    )
    Bank.objects.filter(id=book.bank.id).update(
        embedding_model=row.model, dimensions=row.dimensions, vector_index=""
    )
    change = {"before": old[0], "after": row.model}
    book.append("bank.reembedded", book.bank.id, content=change)
    record(actor, "bank.reembedded", book.bank.id, **change)


def _require_ready(row: Reembedding | None, wanted: str) -> Reembedding:
    if row is None:
        raise Conflict(
            f"The bank has no second model, so it can't switch to {wanted!r:.80}.",
            hint="Build the vectors of that model first.",
            field="to",
        )
    if row.model != wanted:
        raise Conflict(
            f"The bank's second model is {row.model}, not {wanted!r:.80}.",
            hint="Look at the bank's models again, and name one of them.",
            field="to",
        )
    if row.status == Reembedding.Status.BUILDING:
        raise Conflict(
            "The second model is still being built.", hint="Wait until every text has its vector."
        )
    return row


def _served(model: object) -> str:
    models = served_models()
    if not isinstance(model, str) or model not in models:
        raise InvalidArgument(
            f"This server doesn't run a model {model!r:.80}.",
            hint=f"It runs {', '.join(models)}.",
            field="model",
        )
    return model


def _vectors(bank: Bank, row: Reembedding, texts: list[tuple[UUID, str]]) -> list[OtherVector]:
    made = embed_texts(get_embedder(row.model), [text for _, text in texts], timeout=None)
    return [
        OtherVector(
            organization_id=bank.organization_id,
            bank_id=bank.id,
            owner_id=owner,
            model=row.model,
            digest=hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
            embedding=HalfVector(vector),
        )
        for (owner, text), vector in zip(texts, made, strict=True)
    ]


def _store(actor: Actor, bank: Bank, row: Reembedding, texts: list[tuple[UUID, str]]) -> int:
    """Embedded outside the transaction; kept only while the second model is still this one."""
    vectors = _vectors(bank, row, texts)
    with acting_as(actor):
        current = Reembedding.objects.select_for_update(no_key=True).filter(
            bank_id=bank.id, model=row.model
        )
        if not current.exists():
            return 0
        _upsert(vectors)
    return len(vectors)


def _upsert(vectors: list[OtherVector]) -> None:
    OtherVector.objects.bulk_create(
        vectors,
        update_conflicts=True,
        unique_fields=["bank_id", "owner_id"],
        update_fields=["model", "digest", "embedding"],
    )


def _catch_up(access: Access, bank: Bank, row: Reembedding) -> None:
    """Under the lock: the last texts, so that not one is without its second vector."""
    for statement in (CELLS_LACKING, PROBES_LACKING):
        left = lacking(statement, bank, row.model, after=NOWHERE, limit=UNDER_LOCK + 1)
        if len(left) > UNDER_LOCK:
            raise Conflict(
                "Too much is being written just now to switch.", hint="Try again in a minute."
            )
        if left:
            _upsert(_vectors(bank, row, left))


def _exchange(bank: Bank, row: Reembedding) -> None:
    """The vectors change places."""
    values: dict[str, Any] = {
        "bank": to_uuid("bank", bank.id),
        "old": bank.embedding_model,
        "new": row.model,
        "compact": row.dimensions <= COMPACT_DIMENSIONS,
    }
    with connection.cursor() as cursor:
        takes = {
            "cells": _TAKE.format(table="cells"),
            "probes": _TAKE.format(table="entity_probes"),
        }
        cursor.execute(_EXCHANGE.format(**takes), values)
        cursor.execute(_LEFT_OVER, values)
