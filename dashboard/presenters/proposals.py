"""Proposals as questions: two texts side by side and what can be decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.words import Piece, word_diff
from memory_app.models import Memory
from memory_app.queries.proposals import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two; of the words that differ it holds its own, marked."""

    content: str
    pieces: tuple[Piece, ...]
    author: ActorName
    created_at: datetime
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    value: str
    label: str
    explains: str
    primary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    kind: str
    label: str
    question: str
    percent: int
    at: datetime
    old: Side
    new: Side
    choices: tuple[Choice, ...]
    decide_url: str


_BOTH = Choice(
    value="both_stand", label="Both stand", explains="They say different things; keep both."
)
_CONTRADICTION = (
    Choice(
        value="replace",
        label="Replace the older",
        explains="The newer is true now; the older is retired.",
        primary=True,
    ),
    Choice(value="keep_old", label="Keep the older", explains="The newer is wrong and is retired."),
    _BOTH,
)
_DUPLICATE = (
    Choice(
        value="merge",
        label="Merge",
        explains="They say the same; the older takes over the newer one's tags.",
        primary=True,
    ),
    _BOTH,
)


def present_questions(
    place: Place, reviews: Iterable[Review], names: Mapping[str, ActorName]
) -> list[Question]:
    return [_question(place, review, names) for review in reviews]


def _question(place: Place, review: Review, names: Mapping[str, ActorName]) -> Question:
    proposal, old, new = review.proposal, review.old, review.new
    pieces = word_diff(old.content, new.content)
    repeats = proposal.kind == "duplicate"
    return Question(
        kind=proposal.kind,
        label="Repeat?" if repeats else "Contradiction?",
        question="Do these say the same?" if repeats else "Does the newer replace the older?",
        percent=round(proposal.confidence * 100),
        at=proposal.created_at,
        old=_side(place, old, names, [piece for piece in pieces if piece.kind != "new"]),
        new=_side(place, new, names, [piece for piece in pieces if piece.kind != "gone"]),
        choices=_DUPLICATE if repeats else _CONTRADICTION,
        decide_url=place.url("proposal", proposal.id),
    )


def _side(
    place: Place, memory: Memory, names: Mapping[str, ActorName], pieces: Iterable[Piece]
) -> Side:
    return Side(
        content=memory.content,
        pieces=tuple(pieces),
        author=names[memory.author],
        created_at=memory.created_at,
        url=place.url("memory", memory.id),
    )
