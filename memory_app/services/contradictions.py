"""The second look at a new memory: beyond its nearest, at what recall itself finds for its text.

Nearness sees about one real update in twenty; the rest share a subject and little else. What is
found here is never acted on: it becomes a proposal for a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from django.conf import settings

from accounts.actor import JUDGE, Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Unavailable
from memory_app.domain.text import QUERY_LIMIT, cut
from memory_app.models import Memory
from memory_app.providers.judging import Judge, Pair, Verdict
from memory_app.providers.judging.language_model import LanguageModelJudge
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import find_many, stored_vectors
from memory_app.recall import run
from memory_app.recall.values import Query
from memory_app.services import ledger
from memory_app.services.judging import local_judge
from memory_app.services.memories.comparing import bars_of
from memory_app.services.proposing import propose
from memory_app.services.recalling import query_vector
from memory_app.writing.changes import ends
from memory_app.writing.guards import same_statement
from memory_app.writing.plan import Bars, Doubt

CANDIDATES = 8
# Below this cosine two texts have no subject in common.
FLOOR = 0.30
SERIES = 3
PROPOSALS = 2
# Longer texts aren't one statement; a verdict about them would mean nothing.
STATEMENT_LIMIT = 1_000
# What a language model is asked about one memory: the pairs that are likeliest to be anything.
LANGUAGE_PAIRS = 4
# So many memories are looked up in one transaction; it stays a fraction of a second.
TOGETHER = 20

_Look = tuple[Memory, list[tuple[Memory, float]]]


def check_many(actor: Actor, bank_id: str, memory_ids: Sequence[str]) -> int:
    """Judge memories against older ones that recall finds for them; how many proposals were opened.

    Twenty at a time share a transaction of two statements and five for each, and what needs a
    proposal has another of its own; the judge stands between them. Safe to run twice: a pair is
    proposed once. Counts nothing, logs no recall, and changes no memory.
    """
    opened = 0
    for start in range(0, len(memory_ids), TOGETHER):
        access, found = _found(actor, bank_id, memory_ids[start : start + TOGETHER])
        for memory, older in found:
            doubts = _doubts(access, memory, older)
            opened += _open(actor, bank_id, memory, doubts) if doubts else 0
    return opened


def _found(actor: Actor, bank_id: str, memory_ids: Sequence[str]) -> tuple[Access, list[_Look]]:
    """What is still live and one statement, each with the older texts that are like it."""
    with acting_as(actor):
        access = resolve(actor, bank_id)
        memories = find_many(access, list(memory_ids)).values()
        statements = [memory for memory in memories if _is_statement(memory)]
        vectors = stored_vectors(access, [memory.id for memory in statements])
        return access, [
            (memory, _older(access, memory, vectors.get(memory.id))) for memory in statements
        ]


def _older(access: Access, memory: Memory, vector: np.ndarray | None) -> list[tuple[Memory, float]]:
    text, _ = cut(memory.content, QUERY_LIMIT)
    if vector is None:
        vector = query_vector(access.bank, text)
    result = run(access, Query(text=text, limit=CANDIDATES + 1), query_vector=vector)
    return [
        (hit.memory, hit.score or 0.0)
        for hit in result.hits
        if hit.memory.created_watermark < memory.created_watermark
        and len(hit.memory.content) <= STATEMENT_LIMIT
        and (hit.score is None or hit.score >= FLOOR)
    ]


def _is_statement(memory: Memory) -> bool:
    return _live(memory) and len(memory.content) <= STATEMENT_LIMIT


def _doubts(
    access: Access, memory: Memory, older: Sequence[tuple[Memory, float]]
) -> list[tuple[Doubt, str]]:
    """What may be outdated or a repeat, each with the name of the judge that said so.

    One statement outdates one or two others. A judge that says so of more of them has met a series
    of like statements (hall 1, hall 2, hall 3), and a person would only reject them one by one.
    """
    bars = bars_of(access.bank)
    pairs = [Pair(old=old.content, new=memory.content, cosine=score) for old, score in older]
    judged = _judged(access.bank.embedding_model, pairs, bars)
    found = []
    for (old, _), pair, (verdict, judge_id) in zip(older, pairs, judged, strict=True):
        doubt = _doubt(old, pair, verdict, bars)
        if doubt is not None:
            found.append((doubt, judge_id))
    if len(found) > SERIES:
        return []
    return sorted(found, key=lambda one: -one[0].confidence)[:PROPOSALS]


def _judged(model_id: str, pairs: Sequence[Pair], bars: Bars) -> list[tuple[Verdict, str]]:
    """The local judge's verdicts; where it is unsure a language model's, if there is one and it
    answers."""
    local, language = local_judge(model_id), language_judge()
    verdicts = [(verdict, local.id) for verdict in (local.judge(pairs) if pairs else [])]
    unsure = [i for i, (verdict, _) in enumerate(verdicts) if verdict.best[1] < bars.acting]
    unsure = sorted(unsure, key=lambda i: verdicts[i][0].unrelated)[:LANGUAGE_PAIRS]
    if language is None or not unsure:
        return verdicts
    try:
        second = language.judge([pairs[i] for i in unsure])
    except Unavailable:
        return verdicts
    for i, verdict in zip(unsure, second, strict=True):
        verdicts[i] = (verdict, language.id)
    return verdicts


def _doubt(old: Memory, pair: Pair, verdict: Verdict, bars: Bars) -> Doubt | None:
    if ends(pair.old, pair.new):
        return Doubt(memory_id=old.id, kind="contradiction", confidence=0.99)
    relation, probability = verdict.best
    if probability <= bars.verdict or relation == "unrelated":
        return None
    if relation == "supersedes":
        return Doubt(memory_id=old.id, kind="contradiction", confidence=probability)
    if not same_statement(pair.old, pair.new):
        return None
    return Doubt(memory_id=old.id, kind="duplicate", confidence=probability)


def _open(actor: Actor, bank_id: str, memory: Memory, doubts: list[tuple[Doubt, str]]) -> int:
    """Propose what still stands: both memories live and worded as when they were judged."""
    opened = 0
    with acting_as(actor), ledger.opened(resolve(actor, bank_id)) as book:
        current = find_many(book.access, [memory.id, *(doubt.memory_id for doubt, _ in doubts)])
        new = current.get(memory.id)
        if new is None or not _live(new) or new.content != memory.content:
            return 0
        for doubt, judge_id in doubts:
            old = current.get(doubt.memory_id)
            if old is None or not _live(old):
                continue
            opened += (
                propose(
                    book,
                    kind=doubt.kind,
                    old=old,
                    new=new,
                    confidence=doubt.confidence,
                    evidence={"judge": judge_id, "found_by": "recall"},
                    created_by=JUDGE,
                )
                is not None
            )
    return opened


def _live(memory: Memory) -> bool:
    return memory.retired_at is None and memory.deleted_at is None


def language_judge() -> Judge | None:
    """The operator's language model, if the settings name one; asked here and nowhere else."""
    chosen = settings.JUDGE
    if not (chosen["API_BASE"] and chosen["MODEL"]):
        return None
    return _language_judge(chosen["API_BASE"], chosen["MODEL"], chosen["API_KEY"])


@lru_cache(maxsize=2)
def _language_judge(base: str, model: str, key: str) -> Judge:
    return LanguageModelJudge(base=base, model=model, key=key)
