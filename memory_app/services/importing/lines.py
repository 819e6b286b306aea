"""Lines of an import: what one says, what may be stored of it, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.stated import parse_entities, parse_relations
from memory_app.domain.text import cut
from memory_app.domain.values import Draft, parse_draft
from memory_app.formats import Item
from memory_app.models import ImportLine, Memory
from memory_app.services.memories.foreseeing import Foreseen
from memory_app.services.memories.saving import Saved

SHOWN_CHARACTERS = 200
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What became of one line: `created`, `pending` (created, vectors to come), `known`, `refused`
    or `skipped`; in a dry run what would, and `near_duplicate` and `conflicting` besides.
    """

    number: int
    outcome: str
    text: str
    memory_id: str | None = None
    reason: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Every line's fate. `import_id` is empty after a dry run."""

    import_id: str
    format: str
    status: str
    lines: tuple[Line, ...]
    counts: dict[str, int] = field(default_factory=dict)


def judge_item(item: Item, source: str) -> tuple[Draft | None, Line]:
    """The draft of an item, or None and the line that says why there is none."""
    line = Line(number=item.number, outcome="refused", text=shown(item.text))
    if item.skipped:
        return None, replace(line, outcome="skipped", reason=shown(item.skipped, 300))
    if item.problem:
        return None, replace(line, reason=shown(item.problem, 300))
    try:
        return draft_of(as_fields(item), source), line
    except InvalidArgument as error:
        return None, replace(line, reason=shown(error.message, 300))


def as_fields(item: Item) -> dict[str, Any]:
    """An item as one JSON object, kept until it is stored."""
    fields: dict[str, Any] = {"draft": dict(item.fields)}
    if item.entities:
        fields["entities"] = [dict(one) for one in item.entities]
    if item.relations:
        fields["relations"] = [dict(one) for one in item.relations]
    if item.pinned:
        fields["pinned"] = True
    return fields


def draft_of(fields: Mapping[str, Any], source: str) -> Draft:
    """Raises `InvalidArgument` that names the field."""
    draft = parse_draft(**fields["draft"], default_source=source)
    return replace(
        draft,
        entities=parse_entities(
            fields.get("entities"), field="entities", kind="type", described=False
        ),
        relations=parse_relations(
            fields.get("relations"), field="relations", source="source", target="target"
        ),
        pinned=bool(fields.get("pinned")),
    )


def draft_of_line(row: ImportLine) -> Draft:
    """The draft of a line that waits."""
    kept: Mapping[str, Any] = row.fields or {}
    return draft_of(kept, str(kept.get("source", "")))


def outcome_of(line: Line, saved: Saved, earlier: int | None) -> Line:
    """The line with what its draft became; `earlier` is the item of this import that said it."""
    reason = why_known(saved.memory, earlier) if saved.status == "known" else ""
    return replace(line, outcome=saved.status, memory_id=saved.memory.id, reason=reason)


def why_known(memory: Memory, earlier: int | None) -> str:
    if earlier is not None:
        return f"the same as item {earlier}"
    if memory.retired_at is not None:
        return "stored and retired; an import revives nothing"
    return "stored already"


def foreseen_of(line: Line, fate: Foreseen) -> Line:
    """The line with what its draft would become."""
    quoted = f": {cut(fate.text, 160)[0]}" if fate.text else ""
    if fate.outcome == "created":
        reason = ""
    elif fate.outcome == "conflicting":
        reason = f"seems to contradict{quoted}" if quoted else "seems to contradict what is stored"
    elif fate.earlier is not None:
        same = "the same as" if fate.outcome == "known" else "nearly the same as"
        reason = f"{same} item {fate.earlier}"
    elif fate.outcome == "near_duplicate":
        reason = f"nearly the same as what is stored{quoted}"
    else:
        retired = "stored and retired; an import revives nothing"
        reason = retired if fate.retired else "stored already"
    return replace(line, outcome=fate.outcome, memory_id=fate.other, reason=shown(reason, 300))


def line_of(row: ImportLine) -> Line:
    """A kept line."""
    return Line(
        number=row.number,
        outcome=row.outcome,
        text=row.text,
        memory_id=row.memory_id,
        reason=row.reason,
        place=row.place,
    )


def in_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: line.number))


def shown(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """For the report: cut between two graphemes, and without what the database can't hold."""
    return cut(_UNSTORABLE.sub("", text[: 2 * limit]), limit)[0]
