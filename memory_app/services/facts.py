"""Facts: what is believed about a question or a name, now or then, and chains of causes (D4, D5)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import to_uuid
from memory_app.models import PendingDocument
from memory_app.queries import causes
from memory_app.queries.access import Access, resolve
from memory_app.queries.causes import Direction
from memory_app.queries.documents import waiting
from memory_app.queries.facts import FactRow, as_facts
from memory_app.recall.loading import load
from memory_app.recall.scope import scope_of
from memory_app.recall.values import Filters, Hit, Query, Result
from memory_app.services import recalling

WAITING_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """A fact with its place in the answer."""

    fact: FactRow
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAnswer:
    """What is believed, best first, and the documents that nobody has taken in yet."""

    facts: tuple[Believed, ...]
    waiting: tuple[PendingDocument, ...]
    dropped: Mapping[str, int]
    recall_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """Chains of facts ordered outwards from the subject; `empty_reason` where there are none."""

    causes: tuple[tuple[FactRow, ...], ...] = ()
    effects: tuple[tuple[FactRow, ...], ...] = ()
    contradictions: tuple[FactRow, ...] = ()
    truncated: bool = False
    empty_reason: str | None = None
    recall_id: str = field(default="")


def query(
    actor: Actor,
    bank: str | None,
    *,
    text: str,
    limit: int,
    about: Sequence[str] = (),
    digest: bool = False,
    as_of: datetime | None = None,
    queue_of: str | None = None,
) -> FactsAnswer:
    """Search the facts of a bank; with `digest`, or without a text, the newest ones.

    Only a search counts against the daily cap. `queue_of` is the bank whose documents wait, this one
    when absent. The search's statements, and two more.
    """
    newest = digest or not text.strip()
    asked = Query(
        text=None if newest else text,
        mode="recent" if newest else "hybrid",
        limit=limit,
        filters=Filters(about=tuple(about)),
        as_of=as_of,
    )

    def told(access: Access, answer: recalling.Answer) -> FactsAnswer:
        hits = answer.result.hits
        facts = as_facts(access, [hit.memory for hit in hits])
        queue = access if queue_of in (None, access.bank.id) else resolve(actor, queue_of)
        return FactsAnswer(
            facts=tuple(Believed(fact=row, hit=hit) for row, hit in zip(facts, hits, strict=True)),
            waiting=waiting(queue, limit=WAITING_SHOWN).documents,
            dropped=answer.result.dropped,
            recall_id=answer.recall_id,
        )

    return recalling.answering(actor, bank, asked, told)


def trace(
    actor: Actor, bank: str | None, subject: str, *, direction: Direction, hops: int
) -> Causes:
    """Follow recorded causes from a subject. Logged as a read; counts against no cap."""
    started = time.perf_counter()

    def asked(access: Access, _vector: np.ndarray | None) -> Causes:
        traced = causes.trace(access, subject, direction=direction, hops=hops)
        ids = dict.fromkeys(
            [
                *(one for chain in (*traced.causes, *traced.effects) for one in chain),
                *traced.contradictions,
            ]
        )
        facts = _facts(access, ids)
        result = _result(access, facts)
        spent = (time.perf_counter() - started) * 1000
        logged = recalling.record(access, Query(text=subject, mode="lookup"), result, spent)
        return Causes(
            causes=_chains(traced.causes, facts),
            effects=_chains(traced.effects, facts),
            contradictions=tuple(facts[one] for one in traced.contradictions if one in facts),
            truncated=traced.truncated,
            empty_reason=traced.empty_reason,
            recall_id=logged.id,
        )

    return recalling.reading(actor, bank, None, asked)


def parse_instant_seconds(value: object, *, name: str = "as_of") -> datetime | None:
    """An instant from unix seconds. Raises `InvalidArgument`."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**35:
        raise InvalidArgument(
            f"{name} must be a time in unix seconds, not {value!r:.40}.",
            hint=f"Send {name} as for example 1796000000.",
            field=name,
        )
    return datetime.fromtimestamp(value, tz=UTC)


def _facts(access: Access, ids: Iterable[str]) -> dict[str, FactRow]:
    loaded = load(scope_of(access, Query()), [str(to_uuid("mem", one)) for one in ids])
    rows = as_facts(access, [entry.memory for entry in loaded.values()])
    return {row.memory.id: row for row in rows}


def _result(access: Access, facts: Mapping[str, FactRow]) -> Result:
    hits = tuple(
        Hit(memory=row.memory, score=None, rank=rank, matched=("causes",), via="graph")
        for rank, row in enumerate(facts.values(), start=1)
    )
    return Result(
        hits=hits,
        profile=False,
        dropped={},
        best_refused_score=None,
        timings={},
        tokens=0,
        watermark=access.bank.head_watermark,
    )


def _chains(
    chains: Sequence[Sequence[str]], facts: Mapping[str, FactRow]
) -> tuple[tuple[FactRow, ...], ...]:
    return tuple(tuple(facts[one] for one in chain if one in facts) for chain in chains)
