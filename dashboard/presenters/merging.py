"""Memories side by side, with the words in which each differs from the kept one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.forms.writing import Written
from dashboard.place import Place
from dashboard.presenters.memories import TagLink, tag_links
from dashboard.presenters.words import Piece, word_diff
from memory_app.models import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """`pieces` is empty for the kept one."""

    id: str
    title: str
    content: str
    kept: bool
    pieces: tuple[Piece, ...]
    author: ActorName
    created_at: datetime
    tags: tuple[TagLink, ...]
    url: str


def present_sides(
    place: Place, kept: Memory, memories: Iterable[Memory], names: Mapping[str, ActorName]
) -> list[Side]:
    return [
        Side(
            id=memory.id,
            title=memory.title,
            content=memory.content,
            kept=memory.id == kept.id,
            pieces=() if memory.id == kept.id else tuple(word_diff(kept.content, memory.content)),
            author=names[memory.author],
            created_at=memory.created_at,
            tags=tag_links(place, memory.tags),
            url=place.url("memory", memory.id),
        )
        for memory in memories
    ]


def draft_of(kept: Memory, worded: Memory, memories: Sequence[Memory]) -> Written:
    """What the merge would write: one's fields, another's text where that was chosen, all tags."""
    tags = dict.fromkeys(tag for memory in (kept, *memories) for tag in memory.tags)
    return Written(
        title=kept.title or next((one.title for one in memories if one.title), ""),
        content=worded.content,
        category=kept.category or next((one.category for one in memories if one.category), ""),
        collection=kept.collection
        or next((one.collection for one in memories if one.collection), ""),
        tags=", ".join(tags),
        expected_watermark=str(kept.head_watermark),
    )
