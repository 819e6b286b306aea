"""Holding new texts against what the bank has: neighbours, verdicts, the plan for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from accounts.questions import Question, Row
from memory_app.domain.closest import Closest, as_stored
from memory_app.models import Bank, Memory
from memory_app.providers.embedding import get_embedder
from memory_app.providers.judging import Pair, Verdict
from memory_app.queries.neighbours import BankVectors, nearest, nearest_from, nearest_questions
from memory_app.services.judging import local_judge
from memory_app.services.memories.embedding import Prepared
from memory_app.writing.plan import Bars, Candidate, Plan, make_plan, pairs_to_judge

NEIGHBOURS = 8
# A text below this many characters fits every model's window; longer ones are counted.
SURELY_WHOLE = 400
# Only so many drafts of one call are judged inside it; the others' pairs are judged in the
# background.
JUDGED_DRAFTS = 8

VerdictKey = tuple[int, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """A pair that needs a verdict, with the key it is remembered by."""

    key: VerdictKey
    pair: Pair


class Nearby(Protocol):
    """Texts that are to be compared with and stand in no table yet."""

    def near(self, vector: np.ndarray, *, least: float) -> list[Candidate]: ...


class Fresh:
    """The drafts of this call that were created already: later ones of it are compared with them."""

    def __init__(self) -> None:
        self._memories: dict[str, Memory] = {}
        self._vectors: Closest[str] = Closest()

    def add(self, memory: Memory, item: Prepared) -> None:
        """Remember a created memory whose vector is known and whose text is one cell."""
        if item.vectors is not None and item.whole:
            self._vectors.add([memory.id], as_stored(item.vectors[:1]))
            self._memories[memory.id] = memory

    def memory(self, memory_id: str) -> Memory | None:
        """The created memory of that id, if it is of this call."""
        return self._memories.get(memory_id)

    def near(self, vector: np.ndarray, *, least: float) -> list[Candidate]:
        """Those at or above `least`, best first."""
        if not self._memories:
            return []
        asked = as_stored(vector[np.newaxis])
        (found,) = self._vectors.best(asked, limit=NEIGHBOURS, least=least)
        return [
            Candidate(memory_id=key, text=self._memories[key].content, cosine=cosine)
            for key, cosine in found
        ]


def bars_of(bank: Bank) -> Bars:
    """The bank's thresholds."""
    return Bars(
        duplicate=bank.duplicate_threshold,
        related=bank.related_threshold,
        verdict=bank.verdict_threshold,
        acting=bank.acting_threshold,
        auto_link=bank.auto_link_threshold if bank.auto_link else None,
        review_only=bank.review_mode,
    )


def near_questions(bank: Bank, prepared: Sequence[Prepared]) -> list[Question]:
    """What `candidates` would ask, for a message that is sent anyhow; none when there is nothing to
    ask or it is better asked there.
    """
    rows, vectors = _compared(prepared)
    return nearest_questions(bank, vectors, limit=NEIGHBOURS) if rows else []


def candidates(
    bank: Bank,
    prepared: Sequence[Prepared],
    answers: Sequence[Sequence[Row]] = (),
    held: BankVectors | None = None,
) -> list[list[Candidate]]:
    """For each draft its nearest live memories; none for a text of several cells or without a
    vector.

    `answers` are those to `near_questions`; without them one message, or two statements for eight
    drafts and more. `held` are the bank's vectors where the caller keeps them for many calls.
    """
    rows, vectors = _compared(prepared)
    if not rows:
        return [[] for _ in prepared]
    if answers:
        near = [nearest_from(answer, limit=NEIGHBOURS) for answer in answers]
    elif held is not None:
        near = held.nearest(bank, vectors, limit=NEIGHBOURS)
    else:
        near = nearest(bank, vectors, limit=NEIGHBOURS)
    fits = get_embedder(bank.embedding_model).fits
    found: list[list[Candidate]] = [[] for _ in prepared]
    for i, one in zip(rows, near, strict=True):
        found[i] = [
            Candidate(
                memory_id=hit.memory_id,
                text=hit.text,
                cosine=hit.cosine,
                head_watermark=hit.head_watermark,
                whole=len(hit.text) < SURELY_WHOLE or fits(hit.text),
            )
            for hit in one
        ]
    return found


def look_ahead(bank: Bank, prepared: Sequence[Prepared], held: BankVectors) -> None:
    """Search for `candidates` before the bank is locked for them. Inside `acting_as`."""
    held.look_ahead(bank, _compared(prepared)[1], limit=NEIGHBOURS)


def unjudged(
    bank: Bank,
    prepared: Sequence[Prepared],
    near: Sequence[list[Candidate]],
    verdicts: Mapping[VerdictKey, Verdict],
) -> list[Unjudged]:
    """The pairs of this call that still need a verdict: of the first eight drafts, four each."""
    bars = bars_of(bank)
    wanted = []
    for index, item in enumerate(prepared[:JUDGED_DRAFTS]):
        for candidate in pairs_to_judge(item.draft.content, near[index], bars):
            key = (index, candidate.memory_id, candidate.head_watermark)
            if key not in verdicts:
                wanted.append(Unjudged(key=key, pair=pair_of(candidate, item)))
    return wanted


def pair_of(candidate: Candidate, item: Prepared) -> Pair:
    """What the judge is asked about."""
    return Pair(old=candidate.text, new=item.draft.content, cosine=candidate.cosine)


def judged(bank: Bank, wanted: Sequence[Unjudged]) -> dict[VerdictKey, Verdict]:
    """Verdicts of the local judge, outside any transaction. About 5 ms a pair."""
    verdicts = local_judge(bank.embedding_model).judge([one.pair for one in wanted])
    return {one.key: verdict for one, verdict in zip(wanted, verdicts, strict=True)}


def plan(
    bank: Bank,
    index: int,
    item: Prepared,
    near: Sequence[Candidate],
    fresh: Nearby,
    verdicts: Mapping[VerdictKey, Verdict],
    *,
    judge: bool,
) -> Plan:
    """The plan for one draft against the bank and the earlier drafts of its call.

    Of both the nearest few, as if the earlier ones were stored: a draft's fate is the same whether
    it comes alone or with others.
    """
    bars = bars_of(bank)
    own = fresh.near(_vector(item), least=bars.related) if _comparable(item) else []
    return make_plan(
        item.draft.content,
        closest([*near, *own]) if own else near,
        {
            candidate.memory_id: verdicts[(index, candidate.memory_id, candidate.head_watermark)]
            for candidate in near
            if (index, candidate.memory_id, candidate.head_watermark) in verdicts
        },
        bars,
        may_retire=judge,
    )


def closest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The nearest few of several lists together."""
    return sorted(candidates, key=lambda one: -one.cosine)[:NEIGHBOURS]


def _compared(prepared: Sequence[Prepared]) -> tuple[list[int], np.ndarray]:
    """Which drafts are compared at all, and their vectors."""
    rows = [i for i, item in enumerate(prepared) if _comparable(item)]
    vectors = [_vector(prepared[i]) for i in rows]
    return rows, np.stack(vectors) if vectors else np.empty((0, 0), np.float32)


def _comparable(item: Prepared) -> bool:
    """Whether a draft is one statement that is held against others while it is saved."""
    return item.vectors is not None and item.whole and item.draft.compared


def _vector(item: Prepared) -> np.ndarray:
    if item.vectors is None:
        raise ValueError("a draft without vectors is compared with nothing")
    vector: np.ndarray = item.vectors[0]
    return vector
