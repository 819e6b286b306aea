"""Receipts of recalls: what was asked and served then, and what the same question gets otherwise."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound
from memory_app.domain.ids import to_uuid
from memory_app.models import Memory, MemoryVersion, Recall
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import find_many
from memory_app.recall import run
from memory_app.recall.cuts import Fates
from memory_app.recall.loading import turn_back
from memory_app.recall.reasons import Reason, reasons
from memory_app.recall.trace import Trace
from memory_app.recall.values import Filters, Query, Result
from memory_app.services.recalling import query_vector

At = Literal["today", "then"]
MOMENTS: tuple[At, ...] = ("today", "then")
ENGINE_MODES = ("hybrid", "vector", "keyword", "lookup", "profile", "recent")
# Answered by words and a walk of the graph; the engine alone would not answer the same.
_WALKING_TOOLS = ("recall", "recall_notes")
_MOMENTS = ("created_from", "created_to", "observed_from", "observed_to", "as_of")
_OPTIONS = ("limit", "min_score", "max_tokens", "as_of", "fusion", "graph")
_LISTS = ("tags", "authors", "not_authors", "about")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A memory as it was served. `memory` holds the text of then and is None once it is erased;
    `exact` is False where the history window has closed and the text is a later one.
    """

    id: str
    rank: int
    score: float | None
    matched: tuple[str, ...]
    memory: Memory | None
    exact: bool
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One recall as the read log has it."""

    access: Access
    recall: Recall
    served: tuple[Served, ...]

    @property
    def replayable(self) -> bool:
        return self.recall.mode in ENGINE_MODES and self.recall.tool not in _WALKING_TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A memory in either answer; a place is None where that answer lacks it.

    `reason` says why a memory that was served then is not any more.
    """

    id: str
    before: int | None
    after: int | None
    memory: Memory | None
    score: float | None = None
    reason: Reason | None = None

    @property
    def kind(self) -> str:
        if self.before is None:
            return "gained"
        if self.after is None:
            return "lost"
        return "same" if self.before == self.after else "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The same question again, and the difference in the order of the new answer, lost ones last."""

    receipt: Receipt
    at: At
    query: Query
    result: Result
    differences: tuple[Difference, ...]
    took_ms: float

    def count(self, kind: str) -> int:
        return sum(each.kind == kind for each in self.differences)


def receipt(actor: Actor, bank: str | None, recall_id: str) -> Receipt:
    """One recall with the texts it served. Four statements. Raises `NotFound`."""
    with acting_as(actor):
        return read_receipt(resolve(actor, bank), recall_id)


def replay(actor: Actor, bank: str | None, recall_id: str, *, at: str = "today") -> Replay:
    """Ask the same again, of today's bank or of the bank as it stood then.

    Nothing is counted or logged. About fifteen statements. As of then, how often words occur and how
    often memories were recalled are today's. Raises `NotFound`, `InvalidArgument`, and `Conflict` for
    a recall that the engine alone did not answer.
    """
    if at not in MOMENTS:
        raise InvalidArgument(f"at is {at!r:.40}.", hint="Choose today or then.", field="at")
    with acting_as(actor):
        found = read_receipt(resolve(actor, bank), recall_id)
    if not found.replayable:
        raise Conflict(
            "This answer came from a walk of the graph and can't be replayed here.",
            hint="Ask the same tool again.",
        )
    query = query_of(found.recall)
    if at == "then" and query.as_of is None:
        query = replace(query, as_of=found.recall.created_at, watermark=found.recall.watermark)
    vector = query_vector(found.access.bank, query.text or "") if query.needs_vector else None
    started = time.perf_counter()
    with acting_as(actor):
        access = resolve(actor, bank)
        trace = Trace()
        result = run(access, query, query_vector=vector, trace=trace)
        took = (time.perf_counter() - started) * 1000
        new = {hit.memory.id for hit in result.hits}
        lost = [each.id for each in found.served if each.id not in new and each.memory is not None]
        told = reasons(Fates(trace.run, result), lost, vector) if lost else {}
    return Replay(
        receipt=found,
        at="then" if at == "then" else "today",
        query=query,
        result=result,
        differences=tuple(_differences(found, result, told)),
        took_ms=round(took, 3),
    )


def recent(access: Access, *, limit: int = 8) -> tuple[Recall, ...]:
    """The newest recalls of agents that the engine answered, for a start. One query."""
    rows = Recall.objects.filter(bank_id=access.bank.id, mode__in=ENGINE_MODES)
    return tuple(rows.exclude(query="").order_by("-id")[:limit])


def read_receipt(access: Access, recall_id: str) -> Receipt:
    """`receipt` inside the transaction, three statements."""
    recall = Recall.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        id=to_uuid("rec", recall_id),
    ).first()
    if recall is None:
        raise NotFound("recall")
    ids = [hit["id"] for hit in recall.hits]
    now_as = find_many(access, ids)
    texts = {memory.id: memory.content for memory in now_as.values()}
    kept = _kept(access, recall.watermark, ids)
    turn_back(access.bank.id, recall.watermark, list(now_as.values()))
    served = [_served(hit, now_as.get(hit["id"]), texts, kept) for hit in recall.hits]
    return Receipt(access=access, recall=recall, served=tuple(served))


def query_of(recall: Recall) -> Query:
    """The question that the read log keeps, as the engine takes it."""
    return read_query(recall.query, recall.mode, recall.filters)


def read_query(text: str, mode: str, kept: Mapping[str, Any]) -> Query:
    """A query from its JSON form; names that the engine doesn't know are left out."""
    read = {name: _read(name, value) for name, value in kept.items()}
    filters = {each.name: read[each.name] for each in fields(Filters) if each.name in read}
    options = {name: read[name] for name in _OPTIONS if name in read}
    return Query(text=text or None, mode=mode, filters=Filters(**filters), **options)  # type: ignore[arg-type]


def _read(name: str, value: Any) -> Any:
    if name in _MOMENTS:
        return datetime.fromisoformat(value)
    return tuple(value) if name in _LISTS else value


def _kept(access: Access, watermark: int, ids: Sequence[str]) -> set[str]:
    """The memories whose text of then is still kept."""
    versions = MemoryVersion.objects.filter(
        bank_id=access.bank.id, memory_id__in=ids, since__lte=watermark
    )
    still = versions.exclude(until__lte=watermark)
    return {str(memory_id) for memory_id in still.values_list("memory_id", flat=True)}


def _served(
    hit: Mapping[str, Any],
    memory: Memory | None,
    texts: Mapping[str, str],
    kept: set[str],
) -> Served:
    return Served(
        id=hit["id"],
        rank=hit["rank"],
        score=hit.get("score"),
        matched=tuple(hit.get("matched", ())),
        memory=memory,
        exact=hit["id"] in kept,
        changed=memory is not None and memory.content != texts[memory.id],
    )


def _differences(
    found: Receipt, result: Result, told: Mapping[str, Reason]
) -> Sequence[Difference]:
    before = {each.id: each for each in found.served}
    new = [
        Difference(
            id=hit.memory.id,
            before=before[hit.memory.id].rank if hit.memory.id in before else None,
            after=hit.rank,
            memory=hit.memory,
            score=hit.score,
        )
        for hit in result.hits
    ]
    served = {each.id for each in new}
    lost = [
        Difference(
            id=each.id,
            before=each.rank,
            after=None,
            memory=each.memory,
            score=each.score,
            reason=told.get(each.id),
        )
        for each in found.served
        if each.id not in served
    ]
    return [*new, *lost]
