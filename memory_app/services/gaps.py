"""Knowledge gaps: what agents asked in vain, answered once by a person, or put aside.

Wordings with the same lexemes are one group from the database; those that mean the same are joined by
the vectors of the questions, which recall has made and cached already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, Unavailable
from memory_app.domain.values import Draft, parse_fraction
from memory_app.models import Bank, GapDecision, Memory
from memory_app.providers.clock import now
from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.queries import gaps
from memory_app.queries.access import resolve
from memory_app.queries.gaps import FLOOR, DecisionPage, Wording
from memory_app.queries.memories import find
from memory_app.services import ledger
from memory_app.services.memories import Saved, save_many, storing
from memory_app.services.memories.curating import bin_inside
from memory_app.services.memories.repeating import refusing_repeats

# Two questions this near ask the same; nearer than related ones, so that nothing is hidden.
SAME_MEANING = 0.9
SNOOZE_MOST = 365
STATUSES = ("answered", "snoozed", "dismissed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One unanswered question in all its wordings, the last asked first; `key` names the group."""

    wordings: tuple[Wording, ...]

    @property
    def key(self) -> str:
        return self.wordings[0].key

    @property
    def question(self) -> str:
        return self.wordings[0].question

    @property
    def number(self) -> int:
        return sum(each.number for each in self.wordings)

    @property
    def empty(self) -> int:
        return sum(each.empty for each in self.wordings)

    @property
    def last(self) -> datetime:
        return max(each.last for each in self.wordings)

    @property
    def first(self) -> datetime:
        return min(each.first for each in self.wordings)

    @property
    def best(self) -> float | None:
        return max((each.best for each in self.wordings if each.best is not None), default=None)

    @property
    def askers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one for each in self.wordings for one in each.askers))

    @property
    def recall_id(self) -> str:
        return self.wordings[0].recall_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The decision and what became of the answer as a memory."""

    decision: GapDecision
    saved: Saved


def list_open(actor: Actor, bank: str | None, *, floor: float | None = None) -> list[Gap]:
    """At most 100 groups of the newest 5,000 recalls, the last asked first.

    `floor` is the similarity below which an answer was none. One statement beside the access, and
    the vectors of questions that the cache has lost. Raises `NotFound` and `InvalidArgument`.
    """
    least = FLOOR if floor is None else parse_fraction(floor, field="floor") or 0.0
    with acting_as(actor):
        access = resolve(actor, bank)
        found = gaps.open_wordings(access, floor=least, now=now())
    return _joined(access.bank, found)


def list_decided(
    actor: Actor, bank: str | None, status: str, *, after: str | None = None, limit: int = 50
) -> DecisionPage:
    """Decisions that stand, newest first. Raises `NotFound` and `InvalidArgument`."""
    if status not in STATUSES:
        raise InvalidArgument(
            f"status is {status!r:.40}.",
            hint=f"Choose one of open, {', '.join(STATUSES)}.",
            field="status",
        )
    with acting_as(actor):
        return gaps.decisions(resolve(actor, bank), status, after=after, limit=limit)


def answer(
    actor: Actor, bank: str | None, key: str, draft: Draft, *, floor: float | None = None
) -> Answered:
    """Save the answer as a memory, by the one way of writing, and close the group with it.

    Both commit together. Needs `full`; one operation of the daily cap. Raises `NotFound` for a group
    that never was, and `Conflict` for one that is decided.
    """
    gap = _find(actor, bank, key, floor)
    if gap is None:
        _repeated(actor, bank, key, "answered")
        raise _decided_already()
    decided: list[GapDecision] = []

    def close(book: ledger.Book, saved: list[Saved]) -> None:
        book.access.require("full")
        (one,) = saved
        made = one.status in ("created", "pending")
        decided.append(_decide(book, gap, "answered", memory_id=one.memory.id, made=made))

    (saved,) = save_many(actor, bank, [draft], judge=True, also=close)
    return Answered(decision=decided[0], saved=saved)


def snooze(
    actor: Actor, bank: str | None, key: str, *, days: int = 7, floor: float | None = None
) -> GapDecision:
    """Hide the group for some days, at most 365; snoozing it twice is snoozing it once. Needs `full`.

    Raises `NotFound`, and `Conflict` for a group that was decided otherwise.
    """
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= SNOOZE_MOST:
        raise InvalidArgument(
            f"days is {days!r:.40}; it must be from 1 to {SNOOZE_MOST}.",
            hint="Snooze for a week with 7, or dismiss the question.",
            field="days",
            details={"least": 1, "most": SNOOZE_MOST},
        )
    gap = _find(actor, bank, key, floor)
    if gap is None:
        return _repeated(actor, bank, key, "snoozed")
    until = now() + timedelta(days=days)
    return _deciding(actor, bank, lambda book: _decide(book, gap, "snoozed", until=until))


def dismiss(actor: Actor, bank: str | None, key: str, *, floor: float | None = None) -> GapDecision:
    """Hide the group for good: nobody needs an answer. Dismissing it twice is dismissing it once.

    Needs `full`. Raises `NotFound`, and `Conflict` for a group that was decided otherwise.
    """
    gap = _find(actor, bank, key, floor)
    if gap is None:
        return _repeated(actor, bank, key, "dismissed")
    return _deciding(actor, bank, lambda book: _decide(book, gap, "dismissed"))


def undo(actor: Actor, bank: str | None, decision: str) -> GapDecision:
    """Take a decision back; a memory that an answer made goes to the bin. Needs `full`.

    Raises `NotFound`, and `Conflict` when it is undone already.
    """

    def work(book: ledger.Book) -> GapDecision:
        row = gaps.find_decision(book.access, decision)
        if row.undone_at is not None:
            raise Conflict("This decision is undone already.", hint="Reload the list.")
        row.undone_at = book.moment
        row.save(update_fields=["undone_at"])
        book.append("undo_gap", row.id, reason=row.status)
        if row.made and row.memory_id is not None:
            _bin(book, row.memory_id)
        return row

    return _deciding(actor, bank, work)


def _bin(book: ledger.Book, memory_id: str) -> None:
    try:
        memory = find(book.access, memory_id)
    except NotFound:
        return
    replaced = Memory.objects.filter(bank_id=book.bank.id, superseded_by=memory.id)
    for old in replaced.exclude(retired_at=None).filter(deleted_at=None):
        storing.revive_inside(book, old, reason="the answer that replaced it was undone")
    bin_inside(book, memory)


def _deciding(
    actor: Actor, bank: str | None, work: Callable[[ledger.Book], GapDecision]
) -> GapDecision:
    with refusing_repeats(), acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            return work(book)


def _decide(
    book: ledger.Book,
    gap: Gap,
    status: str,
    *,
    until: datetime | None = None,
    memory_id: str | None = None,
    made: bool = False,
) -> GapDecision:
    keys = [wording.key for wording in gap.wordings]
    # Under the lock: of two that decide at once, the second would leave a decision nobody can undo.
    standing = gaps.standing_decision(book.access, keys, now=now(), since=gap.last)
    if standing is not None and standing.status == status != "answered":
        return standing
    if standing is not None:
        raise _decided_already()
    row = GapDecision.objects.create(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        keys=keys,
        question=gap.question,
        status=status,
        until=until,
        memory_id=memory_id,
        made=made,
        asked=gap.number,
        decided_by=book.access.actor.id,
        created_at=now(),
    )
    operation = {"answered": "answer_gap", "snoozed": "snooze_gap", "dismissed": "dismiss_gap"}
    book.append(operation[status], row.id, content={"question": gap.question})
    return row


def _decided_already() -> Conflict:
    return Conflict(
        "This question has been decided already.",
        hint="Reload the list; the decision can be undone under its tab.",
    )


def _find(actor: Actor, bank: str | None, key: str, floor: float | None) -> Gap | None:
    """The open group; None where none is open (any more)."""
    with acting_as(actor):
        resolve(actor, bank).require("full")
    for gap in list_open(actor, bank, floor=floor):
        if any(wording.key == key for wording in gap.wordings):
            return gap
    return None


def _repeated(actor: Actor, bank: str | None, key: str, wanted: str) -> GapDecision:
    """What stands about a group that isn't open, if that is what was wanted: a second click."""
    with acting_as(actor):
        standing = gaps.standing_decision(resolve(actor, bank), [key], now=now())
    if standing is None:
        raise NotFound("open question")
    if standing.status != wanted:
        raise _decided_already()
    return standing


def _joined(bank: Bank, found: Sequence[Wording]) -> list[Gap]:
    """Groups of wordings that mean the same; each joins the first group that it is near to."""
    vectors = _vectors(bank, [wording.question for wording in found])
    groups: list[list[int]] = []
    for number in range(len(found)):
        near = next((group for group in groups if _same(vectors, group[0], number)), None)
        if near is None:
            groups.append([number])
        else:
            near.append(number)
    return [Gap(wordings=tuple(found[number] for number in group)) for group in groups]


def _same(vectors: np.ndarray | None, first: int, second: int) -> bool:
    return vectors is not None and float(vectors[first] @ vectors[second]) >= SAME_MEANING


def _vectors(bank: Bank, texts: list[str]) -> np.ndarray | None:
    """Unit vectors; None while the embedder is down: then words alone group."""
    if not texts:
        return None
    try:
        made: np.ndarray = np.asarray(
            embed_cached(get_embedder(bank.embedding_model), texts, "query"), dtype=np.float32
        )
    except Unavailable:
        return None
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    units: np.ndarray = np.divide(made, lengths, out=np.zeros_like(made), where=lengths > 0)
    return units
