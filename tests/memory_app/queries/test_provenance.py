"""Which read returned a fact, in a read log of any length."""

from __future__ import annotations

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Recall
from memory_app.queries.access import resolve
from memory_app.queries.provenance import last_recall_of
from tests.factories import World, make_world

READS = 5_000
# Reads of other facts by somebody else, as the log keeps them.
_FILL = """
INSERT INTO recalls (bank_id, organization_id, id, actor, key_id, door, tool, client, query, mode,
  filters, hits, hit_count, dropped, tokens, took_ms, watermark, request_id, created_at)
SELECT %(bank)s, %(organization)s, u.id, 'agent_other', '', '', '', '', 'x', 'hybrid', '{}',
  jsonb_build_array(jsonb_build_object('id', u.memory, 'rank', 1)), 1, '{}', 1, 1, 1, '', now()
FROM unnest(%(ids)s::uuid[], %(memories)s::text[]) u (id, memory)
"""


@pytest.fixture(scope="module")
def busy(database: None) -> World:
    """A bank whose log holds 5,000 reads."""
    world = make_world()
    values = {
        "bank": to_uuid("bank", world.bank.id),
        "organization": to_uuid("org", world.organization.id),
        "ids": [to_uuid("rec", new_id("rec")) for _ in range(READS)],
        "memories": [new_id("mem") for _ in range(READS)],
    }
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_FILL, values)
    with connections["owner"].cursor() as owner:
        owner.execute("VACUUM (ANALYZE) recalls")
    return world


def _read(world: World, *memories: str, by: str) -> str:
    with acting_as(world.person):
        row = Recall.objects.create(
            organization=world.organization,
            bank=world.bank,
            actor=by,
            mode="hybrid",
            hits=[{"id": one, "rank": rank} for rank, one in enumerate(memories, 1)],
        )
    return str(row.id)


def _last(world: World, memory: str) -> str | None:
    with acting_as(world.person):
        return last_recall_of(resolve(world.person, "main"), memory, reader=world.agent.id)


def test_the_readers_own_read_comes_first_then_the_newest(busy: World) -> None:
    """D6"""
    fact, another = new_id("mem"), new_id("mem")
    own = _read(busy, another, fact, by=busy.agent.id)
    _read(busy, fact, another, by="agent_other")
    _read(busy, new_id("mem"), by=busy.agent.id)
    told = new_id("mem")
    _read(busy, told, by="agent_other")
    newest = _read(busy, told, by="agent_third")

    assert _last(busy, fact) == own
    assert _last(busy, another) == own
    assert _last(busy, told) == newest


def test_an_own_read_is_found_behind_hundreds_of_later_ones(busy: World) -> None:
    """D6"""
    fact = new_id("mem")
    own = _read(busy, fact, by=busy.agent.id)
    for _ in range(201):
        _read(busy, new_id("mem"), by=busy.agent.id)

    assert _last(busy, fact) == own


def test_a_fact_that_no_read_returned_is_known_by_the_index_alone(busy: World) -> None:
    """D6"""
    fact = new_id("mem")
    with CaptureQueriesContext(connection) as seen:
        found = _last(busy, fact)
    statement = next(one["sql"] for one in seen if "MATERIALIZED" in one["sql"])
    with acting_as(busy.person), connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, COSTS OFF) " + statement)
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert found is None
    assert "Bitmap Index Scan on recalls_served" in plan
    assert "Rows Removed" not in plan


def test_a_strangers_reads_are_none_of_ours(busy: World) -> None:
    """D6"""
    stranger, fact = make_world(), new_id("mem")
    _read(stranger, fact, by=busy.agent.id)

    assert _last(busy, fact) is None
    assert _last(stranger, fact) is not None
