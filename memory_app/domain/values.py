"""What callers hand in, parsed once at the edge into frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_app.domain import text
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.hashing import canonical
from memory_app.domain.times import parse_instant, read_loosely

PROPS_LIMIT = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDraft:
    """An entity as a writer names it. Empty parts say nothing; they overwrite nothing."""

    name: str
    type: str = ""
    description: str = ""
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDraft:
    """A directed relation; each end is an entity's name or the id of an existing entity."""

    source: str
    type: str
    target: str
    description: str = ""
    weight: float | None = None
    props: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory to be written. Texts are clean, tags folded; nothing here can be refused any
    more.
    """

    content: str
    title: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    collection: str = ""
    source: str = ""
    project: str = ""
    session: str = ""
    confidence: str = ""
    observed_at: datetime | None = None
    observed_text: str = ""
    props: Mapping[str, Any] = field(default_factory=dict)
    entities: tuple[EntityDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    # Set for a fact: its one relation is asserted with them, and replaces the fact it outdates.
    causal_hint: str = ""
    fact: bool = False
    # What makes two drafts the same besides the text; None: never the same (observations).
    identity: tuple[str, ...] | None = ()
    # Whether near-duplicates and contradictions are looked for while saving.
    compared: bool = True
    # Put at the head of the profile, where the writer may (tier full).
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """An edit: only the fields that are not None change; an empty string clears a label."""

    content: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    category: str | None = None
    collection: str | None = None
    source: str | None = None
    project: str | None = None
    confidence: str | None = None
    observed_at: datetime | None = None

    def named(self) -> dict[str, Any]:
        """The fields that change, by name."""
        pairs = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in pairs if value is not None}


def parse_draft(
    *,
    content: object,
    title: object = None,
    tags: object = None,
    category: object = None,
    collection: object = None,
    source: object = None,
    project: object = None,
    session: object = None,
    confidence: object = None,
    observed_at: object = None,
    props: object = None,
    default_source: str = "",
    limit: int = text.CONTENT_LIMIT,
) -> Draft:
    """A `Draft` from whatever a door received. Raises `InvalidArgument` that names the field."""
    moment, written = parse_observed(observed_at)
    return Draft(
        content=text.clean(content, field="content", limit=limit, least=1),
        title=text.clean_label(title, field="title", limit=text.TITLE_LIMIT) or "",
        tags=text.clean_tags(tags),
        category=text.clean_label(category, field="category") or "",
        collection=text.clean_label(collection, field="collection") or "",
        source=(text.clean_label(source, field="source", limit=text.SOURCE_LIMIT) or "")
        or default_source[: text.SOURCE_LIMIT],
        project=text.clean_label(project, field="project") or "",
        session=text.clean_label(session, field="session", limit=200) or "",
        confidence=text.clean_label(confidence, field="confidence", limit=20) or "",
        observed_at=moment,
        observed_text=written,
        props=parse_props(props),
    )


def parse_changes(raw: Mapping[str, object], *, limit: int = text.CONTENT_LIMIT) -> Changes:
    """`Changes` from a request body; unknown fields are refused by name."""
    unknown = sorted(set(raw) - set(Changes.__slots__))
    if unknown:
        raise InvalidArgument(
            f"{unknown[0]} can't be changed by an edit.",
            hint=f"Fields that can: {', '.join(Changes.__slots__)}.",
            field=unknown[0],
        )
    given = {name: value for name, value in raw.items() if value is not None}
    labels = {
        name: text.clean_label(given[name], field=name, limit=size) or ""
        for name, size in (
            ("title", text.TITLE_LIMIT),
            ("category", text.LABEL_LIMIT),
            ("collection", text.LABEL_LIMIT),
            ("source", text.SOURCE_LIMIT),
            ("project", text.LABEL_LIMIT),
            ("confidence", 20),
        )
        if name in given
    }
    return Changes(
        content=text.clean(given["content"], field="content", limit=limit, least=1)
        if "content" in given
        else None,
        tags=text.clean_tags(given["tags"]) if "tags" in given else None,
        observed_at=parse_observed(given.get("observed_at"))[0],
        **labels,
    )


def parse_observed(value: object) -> tuple[datetime | None, str]:
    """When it happened: the instant with the offset it was given in, and the text as it was given.

    A date in a form that can't be read is kept as text and has no instant.
    """
    if value is None or value == "":
        return None, ""
    if isinstance(value, datetime):
        return (
            value if value.tzinfo else parse_instant(value.isoformat(), field="observed_at")
        ), ""
    written = text.clean(value, field="observed_at", limit=100, lines=False)
    return read_loosely(written), written


def parse_props(value: object) -> dict[str, Any]:
    """Free JSON below a size limit."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidArgument(
            "props must be an object.", hint='Send props as {"key": "value"}.', field="props"
        )
    try:
        size = len(canonical(dict(value)))
    except (ValueError, TypeError, UnicodeEncodeError):
        raise InvalidArgument(
            "props holds something that isn't JSON.", hint="Send plain JSON values.", field="props"
        ) from None
    if size > PROPS_LIMIT or b"\\u0000" in canonical(dict(value)):
        raise InvalidArgument(
            f"props has {size:,} bytes of JSON; the limit is {PROPS_LIMIT:,}, and no NUL.",
            hint="Put long text into the content.",
            field="props",
        )
    return dict(value)


def broken_rules(content: str, tags: Sequence[str], props: object, *, limit: int) -> list[str]:
    """Which fields of a stored row today's rules would refuse: old data is shown, and flagged."""
    too_many = len(tags) > text.TAGS_LIMIT
    wrong_tag = any(not tag or len(tag) > text.TAG_LIMIT or "," in tag for tag in tags)
    broken = {
        "content": not content or len(content) > limit,
        "tags": too_many or wrong_tag,
        "props": not isinstance(props, Mapping),
    }
    return [name for name, is_broken in broken.items() if is_broken]


def parse_integer(value: object, *, field: str, least: int, most: int, default: int) -> int:
    """A whole number inside its range; absent means the default. A string of digits is refused."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument(
            f"{field} must be a whole number, not {value!r:.40}.",
            hint=f"Send {field} as a number from {least} to {most}.",
            field=field,
        )
    if not least <= value <= most:
        raise InvalidArgument(
            f"{field} is {value}; it must be from {least} to {most}.",
            hint=f"Send {field} between {least} and {most}.",
            field=field,
            details={"least": least, "most": most},
        )
    return value


def parse_fraction(value: object, *, field: str) -> float | None:
    """A number from 0 to 1, or None when absent."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidArgument(
            f"{field} must be a number from 0 to 1, not {value!r:.40}.",
            hint=f"Send {field} as for example 0.3.",
            field=field,
        )
    return float(value)


def unite(texts: Sequence[str]) -> str:
    """Joined with a space, empty parts left out."""
    return " ".join(part for part in texts if part)
