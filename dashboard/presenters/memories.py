"""Memories as rows of a list: what a template shows, and the addresses of what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from accounts.queries.names import ActorName
from dashboard.place import Place
from memory_app.domain.text import cut
from memory_app.models import Memory
from memory_app.recall.values import Hit

SNIPPET = 280
# Below this cosine, with no word in common, a hit is rarely what a person looked for.
_NEAR = 0.25
_CHANNELS = {"dense": "meaning", "lexical": "word", "keyword": "word", "lookup": "id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLink:
    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Another memory, by its first words."""

    snippet: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    id: str
    title: str
    snippet: str
    status: str
    pinned: bool
    author: ActorName
    created_at: datetime
    tags: tuple[TagLink, ...]
    replaced_by: Pointer | None
    score: float | None
    matched: str
    far: bool
    url: str
    edit_url: str
    pin_url: str
    delete_url: str
    restore_url: str


def present_rows(
    place: Place,
    memories: Iterable[Memory],
    names: Mapping[str, ActorName],
    *,
    replacements: Mapping[str, Memory],
) -> list[MemoryRow]:
    """Rows in the order given; `names` and `replacements` are loaded for all of them at once."""
    return [
        present_row(
            place,
            memory,
            names[memory.author],
            replacement=replacements.get(memory.superseded_by or ""),
        )
        for memory in memories
    ]


def present_hits(
    place: Place, hits: Iterable[Hit], names: Mapping[str, ActorName]
) -> list[MemoryRow]:
    """Rows of a search, with similarity and the channels that found each.

    Where only distant ones follow, the first of them is marked, so that the list can say so.
    """
    listed = list(hits)
    border = border_of(listed)
    return [
        present_row(
            place,
            hit.memory,
            names[hit.memory.author],
            score=max(hit.score, 0.0) if hit.score is not None else None,
            matched=_words(hit.matched),
            far=number == border,
        )
        for number, hit in enumerate(listed)
    ]


def border_of(hits: Sequence[Hit]) -> int:
    """At which place only those begin that are far away in meaning; the number of hits for none."""
    near = [number for number, hit in enumerate(hits) if not _is_distant(hit)]
    return near[-1] + 1 if near else 0


def present_row(
    place: Place,
    memory: Memory,
    author: ActorName,
    *,
    replacement: Memory | None = None,
    score: float | None = None,
    matched: str = "",
    far: bool = False,
) -> MemoryRow:
    return MemoryRow(
        id=memory.id,
        title=memory.title,
        snippet=snippet(memory.content),
        status=memory.status,
        pinned=memory.pinned_at is not None,
        author=author,
        created_at=memory.created_at,
        tags=tag_links(place, memory.tags),
        replaced_by=point_to(place, replacement) if replacement else None,
        score=score,
        matched=matched,
        far=far,
        url=place.url("memory", memory.id),
        edit_url=place.url("memory-edit", memory.id),
        pin_url=place.url("memory-pin", memory.id),
        delete_url=place.url("memory-delete", memory.id),
        restore_url=place.url("memory-restore", memory.id),
    )


def point_to(place: Place, memory: Memory) -> Pointer:
    return Pointer(snippet=snippet(memory.content), url=place.url("memory", memory.id))


def tag_links(place: Place, tags: Iterable[str]) -> tuple[TagLink, ...]:
    base = place.url("memories")
    return tuple(TagLink(name=tag, url=f"{base}?{urlencode({'tag': tag})}") for tag in tags)


def snippet(content: str) -> str:
    """The first words, cut between characters as people see them."""
    text, shortened = cut(content, SNIPPET)
    return f"{text}…" if shortened else text


def _is_distant(hit: Hit) -> bool:
    return (hit.score is None or hit.score < _NEAR) and set(hit.matched) <= {"dense"}


def _words(channels: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(_CHANNELS.get(channel, channel) for channel in channels))
