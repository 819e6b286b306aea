"""What waits for a person as questions: two sides, who was given which, and what can be decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import NoReverseMatch

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.words import Piece, word_diff
from memory_app.models import Entity, Memory
from memory_app.queries.merges import MergeReview
from memory_app.queries.proposals import Review
from memory_app.queries.review import Reader

Readers = Mapping[str, Sequence[Reader]]
Names = Mapping[str, ActorName]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Somebody whom recent recalls gave this side."""

    name: ActorName
    times: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two; of the words that differ it holds its own, marked. `which` tells it apart."""

    which: str
    content: str
    pieces: tuple[Piece, ...]
    author: ActorName
    created_at: datetime
    url: str
    served: tuple[Audience, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySide:
    name: str
    type: str
    description: str
    degree: int
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
    """`asked_by` is the agent, person or part of the system that asked; `reason` what it said, empty for
    the system. A retirement has one side.
    """

    id: str
    kind: str
    label: str
    question: str
    percent: int
    at: datetime
    asked_by: ActorName
    reason: str
    sides: tuple[Side, ...]
    choices: tuple[Choice, ...]
    decide_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityQuestion:
    id: str
    percent: int
    at: datetime
    asked_by: ActorName
    why: str
    kept: EntitySide
    merged: EntitySide
    choices: tuple[Choice, ...]
    decide_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinQuestion:
    id: str
    memory: Side
    pinned_at: datetime | None
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
# An agent's wish says which of the two goes, whichever is older.
_REPLACEMENT = (
    Choice(
        value="replace",
        label="Replace",
        explains="The first is retired; the second takes its place.",
        primary=True,
    ),
    Choice(
        value="keep_old", label="Keep the first", explains="The second is wrong and is retired."
    ),
    _BOTH,
)
_RETIREMENT = (
    Choice(value="retire", label="Retire", explains="It no longer holds.", primary=True),
    Choice(value="keep", label="Keep", explains="It stays as it is; never ask again."),
)
_ENTITIES = (
    Choice(
        value="accept",
        label="Merge",
        explains="They are one; the second becomes another name of the first.",
        primary=True,
    ),
    Choice(value="reject", label="Keep apart", explains="They are two; never ask again."),
)
_PIN = (
    Choice(
        value="confirm", label="Still holds", explains="Keep it pinned; ask later.", primary=True
    ),
    Choice(value="unpin", label="Unpin", explains="Keep it, but not at the head of the profile."),
    Choice(value="retire", label="Retire", explains="It no longer holds."),
)


def present_questions(
    place: Place, reviews: Iterable[Review], names: Names, served: Readers
) -> list[Question]:
    return [_question(place, review, names, served) for review in reviews]


def present_merges(
    place: Place, reviews: Iterable[MergeReview], names: Names
) -> list[EntityQuestion]:
    return [
        EntityQuestion(
            id=review.proposal.id,
            percent=round(review.proposal.confidence * 100),
            at=review.proposal.created_at,
            asked_by=names[review.proposal.created_by],
            why=_grounds(review.proposal.evidence),
            kept=_entity(place, review.canonical),
            merged=_entity(place, review.variant),
            choices=_ENTITIES,
            decide_url=place.url("entity-question", review.proposal.id),
        )
        for review in reviews
    ]


def present_pins(
    place: Place, memories: Iterable[Memory], names: Names, served: Readers
) -> list[PinQuestion]:
    return [
        PinQuestion(
            id=memory.id,
            memory=_side(place, memory, "", names, served, ()),
            pinned_at=memory.pinned_at,
            choices=_PIN,
            decide_url=place.url("pin-question", memory.id),
        )
        for memory in memories
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """How a kind of question is put."""

    label: str
    question: str
    first: str
    second: str
    choices: tuple[Choice, ...]


_FOUND = {
    "contradiction": _Asking(
        label="Contradiction?",
        question="Does the newer replace the older?",
        first="Older",
        second="Newer",
        choices=_CONTRADICTION,
    ),
    "duplicate": _Asking(
        label="Repeat?",
        question="Do these say the same?",
        first="Older",
        second="Newer",
        choices=_DUPLICATE,
    ),
}
_WISHED = {
    "contradiction": _Asking(
        label="Replace?",
        question="Should the second take the place of the first?",
        first="Would go",
        second="Would take its place",
        choices=_REPLACEMENT,
    ),
    "duplicate": _Asking(
        label="Merge?",
        question="Should these become one?",
        first="Would stay",
        second="Would go into it",
        choices=_DUPLICATE,
    ),
    "retirement": _Asking(
        label="Retire?",
        question="Should this be retired?",
        first="Would go",
        second="",
        choices=_RETIREMENT,
    ),
}


def _question(place: Place, review: Review, names: Names, served: Readers) -> Question:
    proposal, old, new = review.proposal, review.old, review.new
    reason = str(proposal.evidence.get("reason") or "")
    asking = (_WISHED if reason else _FOUND)[proposal.kind]
    pieces = word_diff(old.content, new.content)
    sides = [_side(place, old, asking.first, names, served, (p for p in pieces if p.kind != "new"))]
    if asking.second:
        after = (p for p in pieces if p.kind != "gone")
        sides.append(_side(place, new, asking.second, names, served, after))
    return Question(
        id=proposal.id,
        kind=proposal.kind,
        label=asking.label,
        question=asking.question,
        percent=round(proposal.confidence * 100),
        at=proposal.created_at,
        asked_by=names[proposal.created_by],
        reason=reason,
        sides=tuple(sides),
        choices=asking.choices,
        decide_url=place.url("proposal", proposal.id),
    )


def _side(
    place: Place,
    memory: Memory,
    which: str,
    names: Names,
    served: Readers,
    pieces: Iterable[Piece],
) -> Side:
    return Side(
        which=which,
        content=memory.content,
        pieces=tuple(pieces),
        author=names[memory.author],
        created_at=memory.created_at,
        url=place.url("memory", memory.id),
        served=tuple(
            Audience(name=names[one.actor], times=one.times, last_at=one.last_at)
            for one in served.get(memory.id, ())
        ),
    )


def _entity(place: Place, entity: Entity) -> EntitySide:
    return EntitySide(
        name=entity.name,
        type=entity.type,
        description=entity.description,
        degree=entity.degree,
        created_at=entity.created_at,
        url=entity_url(place, entity.id),
    )


def entity_url(place: Place, entity_id: str) -> str:
    """The entity's own page; empty where there is no such screen."""
    try:
        return place.url("entity", entity_id)
    except NoReverseMatch:
        return ""


def _grounds(evidence: Mapping[str, object]) -> str:
    """What speaks for two entities being one."""
    found = []
    if "asked_by" in evidence:
        found.append("somebody asked")
    if "name" in evidence:
        found.append("their names are alike")
    if "meaning" in evidence:
        found.append("their descriptions mean the same")
    if "shared_neighbours" in evidence:
        found.append(f"they share {evidence['shared_neighbours']} neighbours")
    return ", ".join(found)
