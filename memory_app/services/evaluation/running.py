"""Load a conversation, ask its questions, score the answers."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace

from django.db import connections

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.text import DOCUMENT_LIMIT
from memory_app.domain.values import Draft, parse_draft
from memory_app.models import Bank
from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.queries.access import resolve
from memory_app.recall import Query, run
from memory_app.recall.values import FusionName, Mode
from memory_app.services import memories
from memory_app.services.evaluation.corpora import Conversation, Turn
from memory_app.services.evaluation.metrics import DEPTH, Place, Score, means, score
from memory_app.services.evaluation.naming import entities_of, inner_names
from memory_app.services.evaluation.scratch import scratch_bank, scratch_organization

_BATCH = 100
_UNLIMITED = 10_000_000

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Averages in total and by type, with the number of questions and the seconds it took.

    `seconds` is wall time; the other two are sums over the conversations, of which several may have
    run at once. `graph` holds the totals with the graph's channel, by its weight.
    """

    total: Mapping[str, float | None]
    by_type: Mapping[str, Mapping[str, float | None]]
    questions: Mapping[str, int]
    memories: int
    merged: int
    seconds: float
    loading_seconds: float
    asking_seconds: float
    graph: Mapping[float, Mapping[str, float | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What one conversation gave, without the graph's channel (weight 0) and with it."""

    scores: Mapping[float, Sequence[Score]]
    memories: int
    merged: int
    loading: float
    asking: float


def evaluate(
    conversations: Sequence[Conversation],
    *,
    mode: Mode = "hybrid",
    fusion: FusionName = "weighted",
    jobs: int = 1,
    graph: Sequence[float] = (),
    report: Report = lambda line: None,
) -> Evaluation:
    """Each conversation in a scratch bank of its own: saved without the judge, asked, removed.

    `jobs` of them at once; the figures don't depend on it. With weights in `graph` entities are named
    by rule while saving, and every question is asked once more for each weight.
    """
    started = time.perf_counter()
    asked: list[_Asked] = []
    with scratch_organization() as operator, ThreadPoolExecutor(max_workers=jobs) as pool:
        running = [
            pool.submit(_one, operator, conversation, number, mode, fusion, tuple(graph))
            for number, conversation in enumerate(conversations, start=1)
        ]
        try:
            for done in as_completed(running):
                asked.append(done.result())
                report(f"{len(asked)} of {len(conversations)} conversations")
        finally:
            pool.shutdown(cancel_futures=True)
    scores = [row for one in asked for row in one.scores[0.0]]
    by_type: dict[str, list[Score]] = defaultdict(list)
    for row in scores:
        by_type[row.type].append(row)
    return Evaluation(
        total=means(scores),
        by_type={name: means(by_type[name]) for name in sorted(by_type)},
        questions={name: len(by_type[name]) for name in sorted(by_type)},
        memories=sum(one.memories for one in asked),
        merged=sum(one.merged for one in asked),
        seconds=time.perf_counter() - started,
        loading_seconds=sum(one.loading for one in asked),
        asking_seconds=sum(one.asking for one in asked),
        graph={
            weight: means(row for one in asked for row in one.scores[weight]) for weight in graph
        },
    )


def _one(
    operator: Actor,
    conversation: Conversation,
    number: int,
    mode: Mode,
    fusion: FusionName,
    graph: tuple[float, ...],
) -> _Asked:
    """In a thread of its own: the model and the database leave the interpreter to the others."""
    try:
        with scratch_bank(operator, f"Conversation {number}") as bank:
            started = time.perf_counter()
            places = _load(operator, bank, conversation, named=bool(graph))
            loaded = time.perf_counter()
            scores = {
                weight: _ask(
                    operator,
                    bank,
                    conversation,
                    places,
                    Query(mode=mode, fusion=fusion, graph=weight > 0, weights={"graph": weight}),
                )
                for weight in (0.0, *graph)
            }
            return _Asked(
                scores=scores,
                memories=len(places),
                merged=sum(len(place.turns) - 1 for place in places.values()),
                loading=loaded - started,
                asking=time.perf_counter() - loaded,
            )
    finally:
        connections.close_all()


def _load(
    operator: Actor, bank: Bank, conversation: Conversation, *, named: bool
) -> dict[str, Place]:
    """Save every turn in order; which turns each memory stands for."""
    turns = [turn for turn in conversation.turns if turn.text.strip()]
    told: dict[str, list[Turn]] = defaultdict(list)
    inner = inner_names(turns) if named else frozenset()
    for start in range(0, len(turns), _BATCH):
        part = turns[start : start + _BATCH]
        drafts = [_draft(turn) for turn in part]
        if named:
            drafts = [
                replace(draft, entities=entities_of(turn, inner))
                for draft, turn in zip(drafts, part, strict=True)
            ]
        saved = memories.save_many(operator, bank.id, drafts, judge=False)
        for turn, outcome in zip(part, saved, strict=True):
            told[outcome.memory.id].append(turn)
        waiting = [outcome.memory.id for outcome in saved if outcome.status == "pending"]
        if waiting:
            memories.index_pending(operator, bank.id, waiting)
    return {
        memory_id: Place(
            turns=frozenset(turn.key for turn in said),
            sessions=frozenset(turn.session for turn in said),
        )
        for memory_id, said in told.items()
    }


def _draft(turn: Turn) -> Draft:
    return parse_draft(
        content=f"{turn.speaker}: {turn.text}".replace("\x00", " "),
        session=turn.session[:200],
        observed_at=turn.date or None,
        limit=DOCUMENT_LIMIT,
    )


def _ask(
    operator: Actor,
    bank: Bank,
    conversation: Conversation,
    places: Mapping[str, Place],
    asked: Query,
) -> list[Score]:
    embedder = get_embedder(bank.embedding_model)
    scores = []
    for question in conversation.questions:
        query = replace(asked, text=question.text, limit=DEPTH, max_tokens=_UNLIMITED)
        vector = embed_cached(embedder, [question.text], "query")[0] if query.needs_vector else None
        with acting_as(operator):
            result = run(resolve(operator, bank.id), query, query_vector=vector)
        scores.append(score(question, [places[hit.memory.id] for hit in result.hits]))
    return scores
