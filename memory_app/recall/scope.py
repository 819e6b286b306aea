"""Which cells and memories a recall may see: the bank, the time asked for, and the filters, as SQL.

Every statement of recall is built from these fragments, so that no channel can forget one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory_app.domain.ids import to_uuid
from memory_app.domain.names import name_key
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Bank
from memory_app.queries.access import Access
from memory_app.queries.standing import dated, entity_stood, stood
from memory_app.recall.values import Filters, Query

_WATERMARK_AT = """
SELECT max(seq) FROM ledger_entries WHERE bank_id = %(bank)s AND created_at <= %(instant)s
"""

# The cells a retired memory had at the end; those it lost to an earlier edit stay out.
_LAST_CELLS = """(c.live OR (
  EXISTS (SELECT 1 FROM memories r WHERE r.bank_id = c.bank_id AND r.id = c.memory_id
          AND r.retired_at IS NOT NULL AND r.deleted_at IS NULL)
  AND c.until = (SELECT max(z.until) FROM cells z
                 WHERE z.bank_id = c.bank_id AND z.memory_id = c.memory_id)))"""

_AMONG = """c.memory_id = ANY(ARRAY(
  SELECT m.id FROM memories m WHERE m.bank_id = %(bank)s AND {memories}))"""

# Current then: some cell of it was. Cells are kept as long as the bank's history window.
_STOOD = dated(
    """EXISTS (
  SELECT 1 FROM cells z WHERE z.bank_id = m.bank_id AND z.memory_id = m.id
  AND {z})""",
    at="as_of",
)

# Arrays rather than sub-selects: each is read once, and what it finds is looked up by index.
_ENTITY = """ANY(ARRAY(
  SELECT e.id FROM entities e
  WHERE e.bank_id = %(bank)s AND e.name_key = %({name})s AND {entities}
  UNION
  SELECT x.entity_id FROM entity_aliases x
  WHERE x.bank_id = %(bank)s AND x.name_key = %({name})s AND {aliases}))"""

# A name that was an entity's own then led to that one: an alias of it is younger.
_ALIAS_THEN = """NOT EXISTS (
  SELECT 1 FROM entities o
  WHERE o.bank_id = %(bank)s AND o.name_key = x.name_key AND {entities})"""

_ABOUT_ONE = """m.id = ANY(ARRAY(
  SELECT n.memory_id FROM mentions n
  WHERE n.bank_id = %(bank)s AND n.entity_id = {first} AND {mentions}
  UNION
  SELECT a.memory_id FROM assertions a
  JOIN relationships r ON r.bank_id = a.bank_id AND r.id = a.relationship_id
  WHERE a.bank_id = %(bank)s AND {assertions} AND (r.source_id = {first} OR r.target_id = {first})))"""

_ABOUT_TWO = """m.id = ANY(ARRAY(
  SELECT a.memory_id FROM assertions a
  JOIN relationships r ON r.bank_id = a.bank_id AND r.id = a.relationship_id
  WHERE a.bank_id = %(bank)s AND {assertions}
    AND ((r.source_id = {first} AND r.target_id = {second})
      OR (r.source_id = {second} AND r.target_id = {first}))))"""

_CONDITIONS = {
    "tags": "m.tags @> %(tags)s::varchar[]",
    "category": "m.category = %(category)s",
    "collection": "m.collection = %(collection)s",
    "authors": "m.author = ANY(%(authors)s)",
    "not_authors": "m.author <> ALL(%(not_authors)s)",
    "source": "m.source = %(source)s",
    "created_from": "m.created_at >= %(created_from)s",
    "created_to": "m.created_at < %(created_to)s",
    "observed_from": "m.observed_at >= %(observed_from)s",
    "observed_to": "m.observed_at < %(observed_to)s",
    "pinned": "(m.pinned_at IS NOT NULL) = %(pinned)s",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The visible part of one bank. `as_of` is a watermark."""

    bank: Bank
    bank_id: UUID
    organization_id: UUID
    filters: Filters
    as_of: int | None = None

    @property
    def watermark(self) -> int:
        return self.bank.head_watermark if self.as_of is None else self.as_of

    @property
    def restricts(self) -> bool:
        """Whether anything but the live cells of the bank is asked for."""
        return self.as_of is not None or self.filters != Filters()

    def parameters(self) -> dict[str, Any]:
        """Values for every fragment below."""
        given: dict[str, Any] = {
            "bank": self.bank_id,
            "organization": self.organization_id,
            "as_of": self.as_of,
        }
        for name in _CONDITIONS:
            value = getattr(self.filters, name)
            given[name] = list(value) if isinstance(value, tuple) else value
        for name, value in zip(("first", "second"), self.filters.about, strict=False):
            given[name] = name_key(value)
        return given

    def cells(self, *, filtered: bool = True, covered: bool = False) -> str:
        """The condition on `cells c`.

        `filtered=False` for cells of memories that are known to pass the filters. `covered` for a scan
        of the whole bank: without a filter the covering index answers it alone. A look-up by memory or
        by word says nothing that index asks for, so that no planner without statistics takes it.
        """
        parts = ["c.bank_id = %(bank)s", "c.organization_id = %(organization)s"]
        if self.as_of is not None:
            parts.append(stood("c", at="as_of"))
        elif self.filters.include_retired:
            parts.append(_LAST_CELLS)
        else:
            parts.append("c.live")
            if covered and self.bank.dimensions <= COMPACT_DIMENSIONS:
                parts.append("c.compact")
        if filtered and (self.as_of is not None or self.conditions()):
            parts.append(_AMONG.format(memories=self.memories(live=False)))
        return " AND ".join(parts)

    def memories(self, *, live: bool = True) -> str:
        """The condition on `memories m`, except its bank; with `live` also that it is current."""
        parts = self.standing(live=live) | self.conditions()
        return " AND ".join(parts.values())

    def standing(self, *, live: bool = True) -> dict[str, str]:
        """What makes `memories m` visible at the time asked for, by what a failure means."""
        if self.as_of is not None:
            parts = {"later": "m.created_watermark <= %(as_of)s"}
            return parts | ({"then": _STOOD} if live else {})
        parts = {"bin": "m.deleted_at IS NULL"}
        if live and not self.filters.include_retired:
            parts["retired"] = "m.retired_at IS NULL"
        return parts

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run one statement with the scope's parameters and `values`."""
        with connection.cursor() as cursor:
            cursor.execute(statement, {**self.parameters(), **values})
            return list(cursor.fetchall())

    def conditions(self) -> dict[str, str]:
        """What is asked of `memories m` beyond being visible, by the filter's name."""
        found = {}
        for name, condition in _CONDITIONS.items():
            value = getattr(self.filters, name)
            if value is not None and value != ():
                found[name] = condition
        if self.filters.about:
            found["about"] = self._about()
        return found

    def _about(self) -> str:
        """About the named entities, as what stood at the time asked for has it."""
        named = {
            name: _ENTITY.format(name=name, entities=self.stood("e"), aliases=self.alias_stood())
            for name in ("first", "second")
        }
        condition = _ABOUT_ONE if len(self.filters.about) == 1 else _ABOUT_TWO
        return condition.format(mentions=self.stood("n"), assertions=self.stood("a"), **named)

    def stood(self, alias: str) -> str:
        """The condition that an entity, mention, relationship or assertion stood at the time."""
        if self.as_of is not None:
            return (entity_stood if alias in ("e", "o") else stood)(alias, at="as_of")
        return "true" if self.filters.include_retired else f"{alias}.until IS NULL"

    def alias_stood(self) -> str:
        """The condition that an alias `x` led to its entity at the time."""
        return "true" if self.as_of is None else _ALIAS_THEN.format(entities=self.stood("o"))


def watermark_at(bank_id: str, instant: datetime) -> int:
    """The bank's ledger number at an instant, 0 before its first entry. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_WATERMARK_AT, {"bank": to_uuid("bank", bank_id), "instant": instant})
        return int(cursor.fetchone()[0] or 0)


def scope_of(access: Access, query: Query) -> Scope:
    """The scope of a query. One statement when it asks for an instant without its watermark."""
    bank = access.bank
    bank_id = to_uuid("bank", bank.id)
    organization_id = to_uuid("org", bank.organization_id)
    as_of = query.watermark
    if as_of is None and query.as_of is not None:
        as_of = watermark_at(bank.id, query.as_of)
    return Scope(
        bank=bank,
        bank_id=bank_id,
        organization_id=organization_id,
        filters=query.filters,
        as_of=as_of,
    )
