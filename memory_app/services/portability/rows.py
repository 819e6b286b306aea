"""What each kind of row of an exported bank holds, from the tables' own definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.fields import PrefixedIdField
from memory_app.domain.errors import WrongIdPrefix
from memory_app.domain.ids import canonical_id
from memory_app.models import (
    Assertion,
    Cell,
    Entity,
    EntityAlias,
    EntityProbe,
    File,
    GapDecision,
    LedgerEntry,
    Link,
    Memory,
    MemoryTest,
    MemoryVersion,
    Mention,
    MergeProposal,
    Proposal,
    Relationship,
    SavedView,
)

MODELS: dict[str, type[models.Model]] = {
    "memory": Memory,
    "version": MemoryVersion,
    "cell": Cell,
    "link": Link,
    "entity": Entity,
    "alias": EntityAlias,
    "probe": EntityProbe,
    "relationship": Relationship,
    "mention": Mention,
    "assertion": Assertion,
    "proposal": Proposal,
    "merge_proposal": MergeProposal,
    "memory_test": MemoryTest,
    "gap_decision": GapDecision,
    "saved_view": SavedView,
    "file": File,
    "ledger": LedgerEntry,
}
# What a table is walked by: the second half of its key.
KEYS = {"alias": "name_key", "ledger": "seq"}
# What of a table travels, where not all of it does: nothing that was taken back, and no private view.
TRAVELS: dict[str, Q] = {
    "memory_test": Q(deleted_at=None),
    "gap_decision": Q(undone_at=None),
    "saved_view": Q(deleted_at=None, shared=True),
    "file": Q(deleted_at=None),
}
# Who made it, by name: an account's id says nothing elsewhere, and these rows hang on no account.
PEOPLE = {"memory_test": "created_by", "gap_decision": "decided_by", "saved_view": "created_by"}
# These outlive the memory that they are about, so they may name one that is gone.
_LOOSE = frozenset({"memory_test", "gap_decision"})
# Which kind of row a column of that name refers to; what it names must be in the file.
REFERENCES = {
    "memory_id": "memory",
    "old_memory_id": "memory",
    "new_memory_id": "memory",
    "entity_id": "entity",
    "canonical_id": "entity",
    "variant_id": "entity",
    "relationship_id": "relationship",
}
_ENDS = {"link": "memory", "relationship": "entity"}
# The bank's own identity is the header's; vectors and words are made again; the ledger's hashes
# cover the bank's id, so they follow from the header.
_LEFT_OUT = {
    "bank_id",
    "organization_id",
    "embedding",
    "words",
    "length",
    "compact",
    "previous_hash",
    "hash",
    "storage_name",
}
_INTEGERS = {
    models.SmallIntegerField: (-(2**15), 2**15 - 1),
    models.PositiveSmallIntegerField: (0, 2**15 - 1),
    models.PositiveIntegerField: (0, 2**31 - 1),
    models.BigIntegerField: (0, 2**63 - 1),
}

# Written where they say something only: files from before they were known are read as well.
_SPARSE: dict[str, Any] = {"absent": []}

Reader = Callable[[Any], Any]


class Unfit(ValueError):
    """A row that can't be stored; the message completes "Line N of the file: "."""


def written(kind: str, row: models.Model) -> dict[str, Any]:
    """The row as the file has it."""
    shown = {name: _shown(getattr(row, name)) for name, _ in columns(kind)}
    return {name: value for name, value in shown.items() if not _says_nothing(name, value)}


def _says_nothing(name: str, value: Any) -> bool:
    return name in _SPARSE and value == _SPARSE[name]


def read(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as the table takes them. Raises `Unfit` for a missing, unknown or unfit one."""
    expected = columns(kind)
    if any(_says_nothing(name, value) for name, value in values.items()):
        raise Unfit(f"a {kind} says nothing in one of its fields, and names it.")
    values = {name: _SPARSE[name] for name, _ in expected if name in _SPARSE} | dict(values)
    if len(values) != len(expected):
        names = {name for name, _ in expected}
        wrong = sorted(names ^ set(values))
        raise Unfit(f"a {kind} has other fields than these: {', '.join(wrong)[:100]}.")
    found: dict[str, Any] = {}
    for name, reader in expected:
        if name not in values:
            raise Unfit(f"a {kind} must have {name}.")
        try:
            found[name] = reader(values[name])
        except (ValueError, TypeError, OverflowError, WrongIdPrefix):
            raise Unfit(f"{name} of a {kind} can't be {values[name]!r:.40}.") from None
    return found


def references(kind: str, found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Column, kind and id of every row that must stand above."""
    for name in found if kind not in _LOOSE else ():
        above = REFERENCES.get(name)
        if name in ("source_id", "target_id"):
            above = _ENDS.get(kind)
        if above is not None:
            yield name, above, found[name]


@lru_cache(maxsize=32)
def columns(kind: str) -> tuple[tuple[str, Reader], ...]:
    """Name and reader of every column that the file has, in the table's order."""
    return tuple(
        (item.attname, _reader(item))
        for item in MODELS[kind]._meta.concrete_fields
        if item.column and item.attname not in _LEFT_OUT
    )


def storable(value: Any) -> Any:
    """JSON that PostgreSQL can keep. Raises `ValueError` for a NUL inside of a text."""
    if isinstance(value, str):
        if "\x00" in value:
            raise ValueError("NUL")
    elif isinstance(value, dict):
        for name, one in value.items():
            storable(name)
            storable(one)
    elif isinstance(value, list):
        for one in value:
            storable(one)
    return value


def _shown(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value


def _reader(item: models.Field[Any, Any]) -> Reader:
    read = _bare_reader(item)
    return (lambda value: None if value is None else read(value)) if item.null else read


def _bare_reader(item: models.Field[Any, Any]) -> Reader:
    if isinstance(item, PrefixedIdField):
        prefix = item.prefix
        return lambda value: _same(value, canonical_id(prefix, value))
    if isinstance(item, ArrayField):
        part = _reader(item.base_field)
        return lambda value: [part(one) for one in _of(value, list)]
    if isinstance(item, models.JSONField):
        kind: type = type(item.get_default())
        return lambda value: storable(_of(value, kind))
    if isinstance(item, models.DateTimeField):
        return _moment
    if isinstance(item, models.BooleanField):
        return lambda value: _of(value, bool)
    if isinstance(item, models.FloatField):
        return _number
    if isinstance(item, models.IntegerField):
        least, most = _INTEGERS[type(item)]
        return lambda value: _integer(value, least, most)
    choices = {choice for choice, _ in item.flatchoices}
    limit = item.max_length
    return lambda value: _text(value, limit, choices)


def _of(value: Any, kind: type) -> Any:
    # JSONField() without a default may hold anything that JSON can say.
    if kind is type(None) or type(value) is kind:
        return value
    raise ValueError(kind.__name__)


def _same(value: Any, normal: Any) -> Any:
    if value != normal:
        raise ValueError("not as an export writes it")
    return normal


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(_of(value, str))
    _same(value, moment.astimezone(UTC).isoformat())
    return moment


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("number")
    return float(value)


def _integer(value: Any, least: int, most: int) -> int:
    number: int = _of(value, int)
    if not least <= number <= most:
        raise ValueError("range")
    return number


def _text(value: Any, limit: int | None, choices: set[Any]) -> str:
    text: str = storable(_of(value, str))
    if (limit is not None and len(text) > limit) or (choices and text not in choices):
        raise ValueError("text")
    return text
