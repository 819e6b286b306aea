from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to import, not yet judged: `fields` is what `parse_draft` takes.

    `number` is the line it starts on in pasted text and the place in a JSON list, both from 1.
    `entities` and `relations` are objects as the graph toolset takes them. A non-empty `skipped`
    says why the item is no memory; it is reported and never stored.
    """

    number: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    entities: tuple[Mapping[str, Any], ...] = ()
    relations: tuple[Mapping[str, Any], ...] = ()
    pinned: bool = False
    problem: str = ""
    skipped: str = ""
    shown: str = ""

    @property
    def text(self) -> str:
        """The content as given, or what stood in its place; for the report only."""
        content = self.fields.get("content")
        return content if isinstance(content, str) else self.shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was recognised (a key of `FORMATS`) and every item of it, in order.

    `columns` are the names that a column mapping may use, of a table or of JSON objects; `samples`
    shows a few values of each.
    """

    format: str
    items: tuple[Item, ...]
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    samples: tuple[Mapping[str, str], ...] = ()

    @property
    def wanted(self) -> tuple[Item, ...]:
        """The items that count against the limit and the cap: all but the skipped ones."""
        return tuple(item for item in self.items if not item.skipped)
