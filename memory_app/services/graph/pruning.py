"""What becomes of the graph when a memory goes or comes back.

A memory that retires or is binned no longer backs anything: its mentions and assertions end. A
relationship that nobody else backs and that isn't declared ends with it. Entities go only with a
binned memory, and only those that nothing else names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from memory_app.domain.ids import from_uuid, new_id, to_uuid
from memory_app.models import (
    Assertion,
    Entity,
    EntityProbe,
    LedgerEntry,
    Memory,
    Mention,
    Relationship,
)
from memory_app.services.graph.intervals import copy_row
from memory_app.services.graph.weaving import settle_degrees
from memory_app.services.ledger import Book

# Under these the ledger says that a memory retired.
RETIRING = ("retire", "supersede", "merge")

_UNBACKED = """
UPDATE relationships r SET until = %(until)s
WHERE r.bank_id = %(bank)s AND r.id = ANY(%(ids)s) AND r.until IS NULL AND NOT r.declared
  AND NOT EXISTS (SELECT 1 FROM assertions a WHERE a.bank_id = %(bank)s
                  AND a.relationship_id = r.id AND a.until IS NULL)
RETURNING r.id, r.source_id, r.target_id
"""

# A retired memory still names its entities: only the bin takes them along.
_UNNAMED = """
UPDATE entities e SET until = %(until)s
WHERE e.bank_id = %(bank)s AND e.id = ANY(%(ids)s) AND e.until IS NULL AND NOT e.declared
  AND NOT EXISTS (SELECT 1 FROM mentions n JOIN memories m
                  ON m.bank_id = %(bank)s AND m.id = n.memory_id
                  WHERE n.bank_id = %(bank)s AND n.entity_id = e.id AND m.deleted_at IS NULL
                    AND (n.until IS NULL OR m.retired_at IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM relationships r WHERE r.bank_id = %(bank)s AND r.until IS NULL
                  AND (r.source_id = e.id OR r.target_id = e.id))
RETURNING e.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """Ids of what ended with a memory."""

    entities: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()


def release(book: Book, memory: Memory, *, until: int, entities: bool) -> Pruned:
    """End what a memory backs; with `entities` also the entities that only it named.

    Those that it named until it retired count too. Two statements for a memory without mentions and
    assertions.
    """
    assertions = Assertion.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=None)
    mentions = Mention.objects.filter(bank_id=memory.bank_id, memory_id=memory.id)
    if not entities:
        mentions = mentions.filter(until=None)
    backed = [str(row.relationship_id) for row in assertions.only("bank_id", "relationship_id")]
    named = [str(row.entity_id) for row in mentions.only("bank_id", "entity_id")]
    if not backed and not named:
        return Pruned()
    assertions.update(until=until)
    mentions.filter(until=None).update(until=until)
    ended, ends = _end_relationships(memory.bank_id, backed, until)
    settle_degrees(book, _live(memory.bank_id, ends))
    gone = _end_entities(memory.bank_id, [*named, *ends], until) if entities else ()
    return Pruned(entities=gone, relationships=ended)


def end_orphans(book: Book, *, edges: Iterable[str], entities: Iterable[str], until: int) -> Pruned:
    """End those of the relationships and entities that nothing backs any more."""
    ended, ends = _end_relationships(book.bank.id, list(edges), until)
    settle_degrees(book, _live(book.bank.id, ends))
    gone = _end_entities(book.bank.id, [*entities, *ends], until)
    return Pruned(entities=gone, relationships=ended)


def retired_since(memory: Memory) -> int | None:
    """The watermark at which a retired memory stopped to back what it states.

    Not that of its last cells: an edit since then has closed newer ones.
    """
    entries = LedgerEntry.objects.filter(
        bank_id=memory.bank_id, target=memory.id, operation__in=RETIRING
    )
    return entries.order_by("-seq").values_list("seq", flat=True).first()


def take_back(book: Book, memory: Memory, *, closed_at: int, since: int) -> None:
    """Begin a new interval of what `release` ended at `closed_at`; what had gone comes back.

    An entity whose name was given to a new one meanwhile stays gone: the new one stands for it.
    """
    mentions = list(
        Mention.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=closed_at)
    )
    assertions = list(
        Assertion.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=closed_at)
    )
    if not mentions and not assertions:
        return
    edges = {
        row.id: row
        for row in Relationship.objects.filter(
            bank_id=memory.bank_id, id__in=[row.relationship_id for row in assertions]
        )
    }
    wanted = {row.entity_id for row in mentions}
    wanted |= {end for edge in edges.values() for end in (edge.source_id, edge.target_id)}
    stands = _entities_back(memory.bank_id, wanted, since)
    # Two that were merged since are one now.
    for entity_id, mention in {stands[one.entity_id]: one for one in mentions}.items():
        _begin(book, mention, since, entity_id=entity_id)
    backed = {}
    for assertion in assertions:
        backed[_edge_back(edges[assertion.relationship_id], stands, since).id] = assertion
    for edge_id, assertion in backed.items():
        _begin(book, assertion, since, relationship_id=edge_id)
    book.flush()
    settle_degrees(book, _live(memory.bank_id, stands.values()))


def names_back(book: Book, memory: Memory, *, closed_at: int, since: int) -> None:
    """Bring back the entities that went with a retired memory at `closed_at`: it names them again."""
    named = Mention.objects.filter(bank_id=memory.bank_id, memory_id=memory.id)
    gone = Entity.objects.filter(
        bank_id=memory.bank_id, id__in=named.values("entity_id"), until=closed_at
    )
    ids = {row.id for row in gone.only("bank_id", "id")}
    stands = _entities_back(memory.bank_id, ids, since)
    settle_degrees(book, _live(memory.bank_id, stands.values()))


def _end_relationships(
    bank_id: str, ids: list[str], until: int
) -> tuple[tuple[str, ...], set[str]]:
    if not ids:
        return (), set()
    with connection.cursor() as cursor:
        cursor.execute(
            _UNBACKED,
            {
                "bank": to_uuid("bank", bank_id),
                "ids": [to_uuid("rel", one) for one in ids],
                "until": until,
            },
        )
        rows = cursor.fetchall()
    ends = {from_uuid("ent", end) for row in rows for end in row[1:]}
    return tuple(from_uuid("rel", row[0]) for row in rows), ends


def _end_entities(bank_id: str, ids: Iterable[str], until: int) -> tuple[str, ...]:
    wanted = [to_uuid("ent", one) for one in set(ids)]
    if not wanted:
        return ()
    with connection.cursor() as cursor:
        cursor.execute(_UNNAMED, {"bank": to_uuid("bank", bank_id), "ids": wanted, "until": until})
        gone = tuple(from_uuid("ent", row[0]) for row in cursor.fetchall())
    EntityProbe.objects.filter(bank_id=bank_id, entity_id__in=gone).update(live=False)
    return gone


def _entities_back(bank_id: str, ids: set[str], since: int) -> dict[str, str]:
    """For each entity the one that stands for it now: itself, revived if need be, or its heir."""
    rows = list(Entity.objects.filter(bank_id=bank_id, id__in=ids))
    heirs = {
        row.name_key: row.id
        for row in Entity.objects.filter(
            bank_id=bank_id, name_key__in=[row.name_key for row in rows], until=None
        )
    }
    stands: dict[str, str] = {}
    for row in rows:
        stands[row.id] = str(row.merged_into or heirs.get(row.name_key, row.id))
        if stands[row.id] == row.id and row.until is not None:
            row.come_back(since)
            row.save(update_fields=["until", "absent"])
            EntityProbe.objects.filter(bank_id=bank_id, entity_id=row.id).update(live=True)
            heirs[row.name_key] = row.id
    return stands


def _edge_back(edge: Relationship, stands: dict[str, str], since: int) -> Relationship:
    """The relationship that stands for it now: itself, or one between the heirs of its ends."""
    source = stands.get(str(edge.source_id), str(edge.source_id))
    target = stands.get(str(edge.target_id), str(edge.target_id))
    if edge.until is None and (source, target) == (edge.source_id, edge.target_id):
        return edge
    live = Relationship.objects.filter(
        bank_id=edge.bank_id,
        source_id=source,
        type_key=edge.type_key,
        target_id=target,
        until=None,
    ).first()
    if live is not None:
        return live
    if (source, target) == (edge.source_id, edge.target_id):
        edge.until = None
        edge.save(update_fields=["until"])
        return edge
    heir: Relationship = copy_row(edge, "rel", since, source_id=source, target_id=target)
    heir.save(force_insert=True)
    return heir


def _begin(book: Book, row: Mention | Assertion, since: int, **changed: str) -> None:
    """A new interval of a mention or an assertion."""
    prefix = "mention" if isinstance(row, Mention) else "assert"
    row.id = new_id(prefix)
    row.since, row.until = since, None
    for name, value in changed.items():
        setattr(row, name, value)
    book.pending.add(row)


def _live(bank_id: str, ids: Iterable[str]) -> list[Entity]:
    return list(Entity.objects.filter(bank_id=bank_id, id__in=set(ids), until=None))
