"""One memory as a page: its text, its state, its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import urlencode

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.events import through
from dashboard.presenters.memories import Pointer, TagLink, point_to, tag_links
from memory_app.domain.text import cut
from memory_app.models import LedgerEntry, Memory

NAME = 80
# The fields that the list can be narrowed by.
_LISTED = ("Source", "Session", "Category", "Collection")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    id: str
    name: str
    title: str
    content: str
    status: str
    pinned: bool
    tags: tuple[TagLink, ...]
    retired_at: datetime | None
    retired_by: ActorName | None
    retired_reason: str
    replaced_by: Pointer | None
    deleted_at: datetime | None
    url: str
    edit_url: str
    pin_url: str
    delete_url: str
    restore_url: str
    revive_url: str
    retire_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A field of the side panel: a value, a moment or an author."""

    name: str
    value: str = ""
    at: datetime | None = None
    author: ActorName | None = None
    mono: bool = False
    url: str = ""


def present_reading(
    place: Place,
    memory: Memory,
    names: Mapping[str, ActorName],
    *,
    replacement: Memory | None,
) -> Reading:
    return Reading(
        id=memory.id,
        name=name_of(memory),
        title=memory.title,
        content=memory.content,
        status=memory.status,
        pinned=memory.pinned_at is not None,
        tags=tag_links(place, memory.tags),
        retired_at=memory.retired_at,
        retired_by=names.get(memory.retired_by) if memory.retired_by else None,
        retired_reason=memory.retired_reason,
        replaced_by=point_to(place, replacement) if replacement else None,
        deleted_at=memory.deleted_at,
        url=place.url("memory", memory.id),
        edit_url=place.url("memory-edit", memory.id),
        pin_url=place.url("memory-pin", memory.id),
        delete_url=place.url("memory-delete", memory.id),
        restore_url=place.url("memory-restore", memory.id),
        revive_url=place.url("memory-revive", memory.id),
        retire_url=place.url("memory-retire", memory.id),
    )


def name_of(memory: Memory) -> str:
    """What a memory is called where one line is all there is: its title or its first words."""
    words, shortened = cut(" ".join((memory.title or memory.content).split()), NAME)
    return f"{words}…" if shortened else words


def present_properties(
    place: Place,
    memory: Memory,
    names: Mapping[str, ActorName],
    origin: LedgerEntry | None,
) -> list[Property]:
    """The fields that hold something, in the order of who, from where, what, when, figures.

    `origin` is the entry that made the memory: it says through which door.
    """
    return list(_properties(place, memory, names, origin))


def present_identifiers(memory: Memory) -> list[Property]:
    """What agents and the API name this memory by."""
    return [
        Property(name="Id", value=memory.id),
        Property(name="Slug", value=memory.slug),
        Property(name="Watermark", value=str(memory.head_watermark)),
        Property(name="Hash", value=memory.content_hash),
    ]


def _properties(
    place: Place, memory: Memory, names: Mapping[str, ActorName], origin: LedgerEntry | None
) -> Iterator[Property]:
    base = place.url("memories")
    yield Property(
        name="Written by", author=names[memory.author], url=_narrowed(base, "author", memory.author)
    )
    for name, value, mono in (
        ("Came by", through(origin.door, origin.tool) if origin else "", False),
        ("Source", memory.source, False),
        ("Session", memory.session, True),
        ("Project", memory.project, False),
        ("Category", memory.category, False),
        ("Collection", memory.collection, False),
        ("Confidence", memory.confidence, False),
        ("Happened", happened(memory), False),
    ):
        if value:
            listed = _narrowed(base, name.lower(), value) if name in _LISTED else ""
            yield Property(name=name, value=value, mono=mono, url=listed)
    yield Property(name="Created", at=memory.created_at)
    if memory.updated_at != memory.created_at:
        yield Property(name="Updated", at=memory.updated_at)
    times = "once" if memory.recall_count == 1 else f"{memory.recall_count:,} times"
    yield Property(name="Recalled", value=times if memory.recall_count else "not yet")


def _narrowed(base: str, name: str, value: str) -> str:
    """All memories that share this value."""
    return f"{base}?{urlencode({name: value})}"


def happened(memory: Memory) -> str:
    """The event's own day and zone: 19:00 at -05:00 on 1 June stays 1 June."""
    if memory.observed_at is None:
        return memory.observed_text
    zone = timezone(timedelta(minutes=memory.observed_offset))
    local = memory.observed_at.astimezone(zone)
    offset = local.strftime("%z")
    shown = "UTC" if not memory.observed_offset else f"{offset[:3]}:{offset[3:5]}"
    return f"{local.day} {local:%b %Y, %H:%M} {shown}"
