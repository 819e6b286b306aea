"""Thousands of entities, relationships and facts straight into the tables, beside `bulk`."""

from __future__ import annotations

import random
from typing import Any

from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Bank
from tests.factories import World

_ENTITIES = """
INSERT INTO entities (bank_id, organization_id, id, name, name_key, type, description, queries, degree,
  declared, created_by, created_at, since, absent)
SELECT %(bank)s, %(organization)s, u.id, 'Thing ' || u.n, 'thing ' || u.n, 'thing', '', '[]', 0,
  false, 'agent', now(), 1, '{}'
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[]) u (id, n)
"""
_RELATIONSHIPS = """
INSERT INTO relationships (bank_id, organization_id, id, source_id, target_id, type, type_key,
  description, weight, props, declared, created_by, created_at, since)
SELECT %(bank)s, %(organization)s, u.id, u.source, u.target, 'rel ' || u.n, 'rel ' || u.n, '', 1, '{}',
  %(declared)s, 'agent', now(), 1
FROM unnest(%(ids)s::uuid[], %(sources)s::uuid[], %(targets)s::uuid[], %(numbers)s::int[])
  u (id, source, target, n)
"""
_ASSERTIONS = """
INSERT INTO assertions (bank_id, organization_id, id, memory_id, relationship_id, confidence,
  causal_hint, since)
SELECT %(bank)s, %(organization)s, gen_random_uuid(), u.memory, u.edge, 'extracted', u.hint, 1
FROM unnest(%(memories)s::uuid[], %(ids)s::uuid[], %(hints)s::text[]) u (memory, edge, hint)
"""
_MENTIONS = """
INSERT INTO mentions (bank_id, organization_id, id, memory_id, entity_id, name, resolution, since)
SELECT %(bank)s, %(organization)s, gen_random_uuid(), u.memory, u.entity, 'Thing', 'existing', 1
FROM unnest(%(memories)s::uuid[] || %(memories)s::uuid[], %(sources)s::uuid[] || %(targets)s::uuid[])
  u (memory, entity)
"""
_DEGREES = """
UPDATE entities e SET degree = (
  SELECT count(*) FROM relationships r
  WHERE r.bank_id = e.bank_id AND (r.source_id = e.id OR r.target_id = e.id))
WHERE e.bank_id = %(bank)s
"""
_IDS = "SELECT id FROM memories WHERE bank_id = %(bank)s ORDER BY id"


def fill_graph(world: World, bank: Bank, size: int, *, causes: int) -> None:
    """Makes each of the bank's `size` memories a fact between two of `size / 5` entities, which are
    called "Thing 0" and so on; every `causes`-th has a causal hint.
    """
    chance = random.Random(size)
    things = _things(world, bank, size // 5)
    pairs = [chance.sample(things, 2) for _ in range(size)]
    values = _ids_of(bank) | {
        "ids": [to_uuid("rel", new_id("rel")) for _ in pairs],
        "sources": [pair[0] for pair in pairs],
        "targets": [pair[1] for pair in pairs],
        "numbers": list(range(size)),
        "hints": ["led_to" if n % causes == 0 else "" for n in range(size)],
        "declared": False,
    }
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_IDS, values)
        values["memories"] = [row[0] for row in cursor.fetchall()]
        for statement in (_RELATIONSHIPS, _ASSERTIONS, _MENTIONS, _DEGREES):
            cursor.execute(statement, values)


def fill_hub(world: World, bank: Bank, size: int) -> None:
    """One entity, "Thing 0", with `size` declared relationships."""
    things = _things(world, bank, size + 1)
    values = _ids_of(bank) | {
        "ids": [to_uuid("rel", new_id("rel")) for _ in range(size)],
        "sources": things[:1] * size,
        "targets": things[1:],
        "numbers": list(range(size)),
        "declared": True,
    }
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_RELATIONSHIPS, values)
        cursor.execute(_DEGREES, values)


def _things(world: World, bank: Bank, count: int) -> list[Any]:
    ids: list[Any] = [to_uuid("ent", new_id("ent")) for _ in range(count)]
    values = _ids_of(bank) | {"ids": ids, "numbers": list(range(count))}
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_ENTITIES, values)
    return ids


def _ids_of(bank: Bank) -> dict[str, Any]:
    return {
        "bank": to_uuid("bank", bank.id),
        "organization": to_uuid("org", bank.organization_id),
    }
