"""Where a case is replayed, and the three checks that close every one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from tests.cases.doors import Door, McpDoor, RestDoor, mcp_door, rest_door
from tests.cases.handed import Handed
from tests.factories import World

MARKER = "quetzalcoatlus"

# A memory without its ledger line, without a current version, or live without a vector and not pending.
_HALF_WRITTEN = """
SELECT m.id FROM memories m WHERE m.bank_id = %(bank)s AND (
  NOT EXISTS (SELECT FROM ledger_entries e
              WHERE e.bank_id = m.bank_id AND e.seq = m.created_watermark)
  OR NOT EXISTS (SELECT FROM memory_versions v
                 WHERE v.bank_id = m.bank_id AND v.memory_id = m.id)
  OR (m.indexed_at IS NOT NULL AND m.retired_at IS NULL AND m.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM cells c WHERE c.bank_id = m.bank_id AND c.memory_id = m.id
                      AND c.live AND c.embedding IS NOT NULL))
  OR EXISTS (SELECT FROM cells c WHERE c.bank_id = m.bank_id AND c.memory_id = m.id AND c.live
             AND (m.retired_at IS NOT NULL OR m.deleted_at IS NOT NULL)))
"""
_LOOSE_LINKS = """
SELECT l.id FROM links l WHERE l.bank_id = %(bank)s AND l.until IS NULL AND NOT EXISTS (
  SELECT FROM memories s, memories t WHERE s.bank_id = l.bank_id AND t.bank_id = l.bank_id
  AND s.id = l.source_id AND t.id = l.target_id)
"""


@dataclass(slots=True, kw_only=True)
class Stage:
    """A fresh organization with one door to try, and REST for what only REST can set up."""

    case: Handed
    world: World
    rest: RestDoor
    door: Door

    @property
    def over_mcp(self) -> bool:
        return isinstance(self.door, McpDoor)

    @property
    def quoted(self) -> list[str]:
        return self.case.quoted

    def listed(self, **filters: Any) -> list[dict[str, Any]]:
        """Every memory that the list shows under these filters."""
        return list(self.rest.ask("GET", "memories", limit=200, **filters).body["memories"])

    def status_of(self, content: str) -> str:
        """What became of the memory with this content."""
        found = [row for row in self.listed(state="all") if row["content"] == content]
        assert len(found) == 1, found
        return str(found[0]["status"])


Replay = Callable[[Stage], None]


def set_up(case: Handed, world: World, other: World, *, over_mcp: bool) -> Stage:
    """The other organization holds a marker word that must be heard nowhere."""
    rest_door(other).save(f"The stranger keeps a {MARKER}.", tags=[MARKER])
    rest = rest_door(world)
    return Stage(case=case, world=world, rest=rest, door=mcp_door(world) if over_mcp else rest)


def close(stage: Stage) -> None:
    """No failure of the server, no half-written row, nothing of the other organization."""
    stage.door.search(MARKER)
    stage.listed(text=MARKER)
    heard = [*stage.rest.heard, *stage.door.heard]
    assert not [status for status in stage.rest.statuses if status >= 500]
    assert not [text for text in heard if "Traceback" in text or "internal_error" in text]
    assert not [text for text in heard if f"keeps a {MARKER}" in text]
    with acting_as(stage.world.person), connection.cursor() as cursor:
        bank = {"bank": to_uuid("bank", stage.world.bank.id)}
        for statement in (_HALF_WRITTEN, _LOOSE_LINKS):
            cursor.execute(statement, bank)
            assert cursor.fetchall() == []
    assert stage.rest.ask("GET", "ledger/verify").body["valid"] is True
