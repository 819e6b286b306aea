"""Asking a bank: cap, query vector, the recall engine, the read log, in that order."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypeVar

import numpy as np

from accounts.actor import Actor
from accounts.questions import Question, Row
from accounts.tenancy import acting_as, ask_inside
from memory_app.domain.errors import Unavailable
from memory_app.domain.ids import to_uuid
from memory_app.domain.times import iso
from memory_app.models import Bank, Recall
from memory_app.providers.clock import now
from memory_app.providers.embedding import Embedder, embed_cached, get_embedder
from memory_app.queries.access import Access, access_from, access_question, resolve
from memory_app.queries.insertion import insertion_of
from memory_app.recall import run
from memory_app.recall.values import Query, Result
from memory_app.services import live, usage

# Rows that a writer holds are skipped: a reader never waits, and two readers can't wait for each
# other.
_COUNT_RECALLS = """
UPDATE memories SET recall_count = recall_count + 1
WHERE bank_id = %(bank)s AND id IN (
  SELECT id FROM memories WHERE bank_id = %(bank)s AND id = ANY(%(ids)s)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
"""

Asked = TypeVar("Asked")
# Conditions of which "no" says something else than nothing.
_SAID = ("pinned", "graph")
_EMBEDDED_MODES = ("hybrid", "vector")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found, the id under which the read log keeps it, and what was asked beside."""

    result: Result
    recall_id: str
    bank: Bank
    beside: Sequence[list[Row]] = ()


# What else to ask in the message that logs an answer: a round trip less for each.
Beside = Callable[[Access, Result], Sequence[Question]]


def search(actor: Actor, bank: str | None, query: Query) -> Answer:
    """Recall from a bank; without a query text it is the profile.

    A search is one operation of the daily cap; the profile counts nothing and embeds nothing. When
    the embedder is down the words alone answer. Every answer is logged before it is given. Raises
    `NotFound` and `DailyCapReached`.
    """
    return answering(actor, bank, query, lambda _access, answer: answer)


def answering(
    actor: Actor,
    bank: str | None,
    query: Query,
    then: Callable[[Access, Answer], Asked],
    *,
    beside: Beside = lambda _access, _result: (),
) -> Asked:
    """`search`, and what `then` makes of the answer and of what was asked `beside`, in one transaction.

    The names of the values of such questions must not be those of the log's own, but for `bank`.
    """
    started = time.perf_counter()

    def asked(access: Access, vector: np.ndarray | None) -> Asked:
        result = run(access, query, query_vector=vector)
        took_ms = (time.perf_counter() - started) * 1000
        operations = 1 if query.is_search else 0
        rows: list[list[Row]] = []
        recall = record(
            access,
            query,
            result,
            took_ms,
            operations=operations,
            beside=beside(access, result),
            rows=rows,
        )
        told = Answer(result=result, recall_id=recall.id, bank=access.bank, beside=rows)
        return then(access, told)

    embeds = query.is_search and query.mode in _EMBEDDED_MODES
    return reading(actor, bank, (query.text or "") if embeds else None, asked)


def reading(
    actor: Actor,
    bank: str | None,
    text: str | None,
    work: Callable[[Access, np.ndarray | None], Asked],
) -> Asked:
    """Do `work` in the bank's read transaction, with the text's vector by the bank's model.

    The vector is None without a text and when the embedder is down; it is made before the
    transaction. Raises `NotFound`.
    """
    model = ""
    while True:
        # By the server's model before the bank is known: nearly every bank has that one, and asking
        # first would cost a transaction of its own.
        embedder = None if text is None else _embedder(model)
        vector = _vector(embedder, text or "") if embedder else None
        named = () if bank is None else (access_question(actor, bank),)
        with acting_as(actor, *named, relaxed=True) as answers:
            access = access_from(actor, answers[0]) if answers else resolve(actor, None)
            if (
                text is not None
                and (embedder.model_id if embedder else model) != access.bank.embedding_model
            ):
                model = access.bank.embedding_model
                continue
            return work(access, vector)


def query_vector(bank: Bank, text: str) -> np.ndarray | None:
    """The query's vector by the bank's own model, from the cache where it was asked before.

    None when the embedder is unavailable.
    """
    embedder = _embedder(bank.embedding_model)
    return _vector(embedder, text) if embedder else None


def _embedder(model: str) -> Embedder | None:
    """The embedder of that id, without one the server's own; None when it is unavailable."""
    try:
        return get_embedder(model or None)
    except Unavailable:
        return None


def _vector(embedder: Embedder, text: str) -> np.ndarray | None:
    try:
        vector: np.ndarray = embed_cached(embedder, [text], "query")[0]
    except Unavailable:
        return None
    return vector


def record(
    access: Access,
    query: Query,
    result: Result,
    took_ms: float,
    *,
    counts: bool = True,
    operations: int = 0,
    beside: Sequence[Question] = (),
    rows: list[list[Row]] | None = None,
) -> Recall:
    """Log a read of the recall engine inside its transaction, and take its `operations`.

    `rows` gets the answers to what is asked `beside`.
    """
    return log_read(
        access,
        query=query.text or "",
        mode="profile" if result.profile else query.mode,
        filters=_filters(query),
        hits=[_hit(hit) for hit in result.hits],
        dropped=result.dropped,
        watermark=result.watermark,
        took_ms=took_ms,
        best_refused_score=result.best_refused_score,
        tokens=result.tokens,
        counts=counts and query.is_search and query.as_of is None,
        operations=operations,
        beside=beside,
        rows=rows,
    )


def log_read(
    access: Access,
    *,
    query: str,
    mode: str,
    filters: Mapping[str, Any],
    hits: Sequence[Mapping[str, Any]],
    dropped: Mapping[str, int],
    watermark: int,
    took_ms: float,
    best_refused_score: float | None = None,
    tokens: int = 0,
    counts: bool = True,
    operations: int = 0,
    beside: Sequence[Question] = (),
    rows: list[list[Row]] | None = None,
) -> Recall:
    """Keep what was asked and answered; `hits` hold {id, rank, score, matched}. Inside `acting_as`.

    One message: the insert, for an agent's recall that `counts` the counters that feed the profile,
    what is asked `beside` (answered in `rows`), and `operations` of the daily cap. Raises
    `DailyCapReached`.
    """
    actor = access.actor
    recall = Recall(
        organization_id=actor.organization_id,
        bank_id=access.bank.id,
        actor=actor.id,
        key_id=actor.key_id or "",
        door=actor.door,
        tool=actor.tool,
        client=actor.client[:300],
        query=query,
        mode=mode,
        filters=dict(filters),
        hits=[dict(hit) for hit in hits],
        hit_count=len(hits),
        dropped=dict(dropped),
        best_refused_score=best_refused_score,
        tokens=tokens,
        took_ms=round(took_ms, 3),
        watermark=watermark,
        request_id=actor.request_id[:64],
        created_at=now(),
    )
    questions = [insertion_of(recall)]
    if actor.kind == "agent" and counts and hits:
        ids = [to_uuid("mem", hit["id"]) for hit in hits]
        values = {"bank": to_uuid("bank", access.bank.id), "ids": ids}
        questions.append(Question(sql=_COUNT_RECALLS, values=values, repeats=True))

    def asked(*counting: Question) -> list[Row]:
        answers = ask_inside(*questions, *beside, *counting)
        if rows is not None:
            rows.extend(answers[len(questions) : len(questions) + len(beside)])
        return answers[-1]

    if operations and actor.kind != "system":
        usage.count_operations(actor, operations, "search", through=asked)
    else:
        asked()
    recall._state.adding = False
    live.announce(access.bank.id, "recall", recall.id)
    return recall


def _hit(hit: Any) -> dict[str, Any]:
    return {
        "id": hit.memory.id,
        "rank": hit.rank,
        "score": None if hit.score is None else round(hit.score, 4),
        "matched": list(hit.matched),
    }


def _filters(query: Query) -> dict[str, Any]:
    """The query's conditions that were set, as JSON."""
    values = asdict(query.filters) | {
        "limit": query.limit,
        "min_score": query.min_score,
        "max_tokens": query.max_tokens,
        "as_of": query.as_of,
        "fusion": None if query.fusion == "weighted" else query.fusion,
        "graph": query.graph,
    }
    return set_filters(values)


def set_filters(values: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions that were set, as the read log keeps them."""
    return {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if value not in (None, (), False) or (name in _SAID and value is False)
    }
