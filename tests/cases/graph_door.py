"""What a case about entities, facts, notes and observations does alike over REST and over MCP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.models import Entity
from tests.cases.doors import McpDoor, Outcome
from tests.cases.stage import Stage
from tests.contracts.knowledge import connect
from tests.factories import World

# What may not outlive what backed it; each statement finds what does.
ORPHANS = {
    "mentions": """
SELECT n.id FROM mentions n JOIN memories m ON m.bank_id = n.bank_id AND m.id = n.memory_id
WHERE n.bank_id = %(bank)s AND n.until IS NULL
  AND (m.deleted_at IS NOT NULL OR m.retired_at IS NOT NULL)""",
    "assertions": """
SELECT a.id FROM assertions a JOIN memories m ON m.bank_id = a.bank_id AND m.id = a.memory_id
WHERE a.bank_id = %(bank)s AND a.until IS NULL
  AND (m.deleted_at IS NOT NULL OR m.retired_at IS NOT NULL)""",
    "relationships": """
SELECT r.id FROM relationships r WHERE r.bank_id = %(bank)s AND r.until IS NULL AND (
  (NOT r.declared AND NOT EXISTS (SELECT FROM assertions a WHERE a.bank_id = r.bank_id
                                  AND a.relationship_id = r.id AND a.until IS NULL))
  OR EXISTS (SELECT FROM entities e WHERE e.bank_id = r.bank_id AND e.until IS NOT NULL
             AND e.id IN (r.source_id, r.target_id)))""",
    "entities": """
SELECT e.id FROM entities e WHERE e.bank_id = %(bank)s AND e.until IS NULL AND NOT e.declared
  AND NOT EXISTS (SELECT FROM mentions n JOIN memories m
                  ON m.bank_id = n.bank_id AND m.id = n.memory_id
                  WHERE n.bank_id = e.bank_id AND n.entity_id = e.id AND m.deleted_at IS NULL)""",
    "links": """
SELECT l.id FROM links l JOIN memories m ON m.bank_id = l.bank_id
  AND m.id IN (l.source_id, l.target_id)
WHERE l.bank_id = %(bank)s AND l.until IS NULL AND m.deleted_at IS NOT NULL""",
    "degrees": """
SELECT e.id FROM entities e WHERE e.bank_id = %(bank)s AND e.until IS NULL AND e.degree <> (
  SELECT count(*) FROM relationships r WHERE r.bank_id = e.bank_id AND r.until IS NULL
  AND (r.source_id = e.id OR r.target_id = e.id))""",
}


def open_graph(stage: Stage) -> None:
    """Give the agent every toolset and all it may do."""
    connect(stage.world, tier="full")


def ask(stage: Stage, tool: str, path: str, arguments: dict[str, Any]) -> Outcome:
    """A write or a question: over MCP as the tool, over REST as a POST to the path."""
    if isinstance(stage.door, McpDoor):
        return stage.door.ask(tool, arguments)
    return stage.rest.ask("POST", path, arguments)


def look(stage: Stage, tool: str, path: str, arguments: dict[str, Any], **query: Any) -> Outcome:
    """A reading: over MCP as the tool, over REST as a GET of the path."""
    if isinstance(stage.door, McpDoor):
        return stage.door.ask(tool, arguments)
    return stage.rest.ask("GET", path, **query)


def fact(source: str, relation: str, target: str, text: str) -> dict[str, str]:
    return {
        "source": source,
        "relation_type": relation,
        "target": target,
        "fact": text,
        "confidence": "extracted",
    }


def episode(
    stage: Stage, *facts: dict[str, str], names: Iterable[str] = (), **more: Any
) -> Outcome:
    ends = [end for one in facts for end in (one["source"], one["target"])]
    arguments = {
        "session_id": "s1",
        "entities": [{"name": name, "type": "thing"} for name in dict.fromkeys([*names, *ends])],
        "facts": list(facts),
        **more,
    }
    scope = {"scope": "shared"} if stage.over_mcp else {}
    return ask(stage, "write_episode", "episodes", scope | arguments)


def observe(
    stage: Stage, content: str, *names: str, edges: Iterable[tuple[str, str, str]] = (), **more: Any
) -> Outcome:
    arguments = {
        "content": content,
        "entities": [{"name": name, "description": f"{name} is known."} for name in names],
        "relationships": [{"source": a, "type": kind, "target": b} for a, kind, b in edges],
        **more,
    }
    return ask(stage, "add_observation", "observations", arguments)


def remember(stage: Stage, text: str, **more: Any) -> Outcome:
    return ask(stage, "remember", "notes", {"text": text, **more})


def inspect(stage: Stage, name: str) -> Outcome:
    path = f"entities/{_quoted(name)}/inspect"
    return look(stage, "inspect_entity", path, {"entity": name})


def about(stage: Stage, *names: str) -> list[str]:
    """The facts about one or two names."""
    arguments = {"scope": "shared", "about": list(names)}
    path = f"facts?{'&'.join(f'about={_quoted(name)}' for name in names)}"
    found = look(stage, "query_memory", path, arguments)
    return [one["fact"] for one in found.body["facts"]]


def delete(stage: Stage, memory: dict[str, Any]) -> Outcome:
    if isinstance(stage.door, McpDoor):
        return stage.door.ask("delete_observation", {"slug": memory["slug"]})
    return stage.rest.ask("DELETE", f"memories/{memory['id']}")


def orphans(stage: Stage) -> dict[str, int]:
    """`orphans_of` the world on stage."""
    return orphans_of(stage.world)


def orphans_of(world: World) -> dict[str, int]:
    """How many rows of each kind have outlived what backed them; kinds without any are left out."""
    found: dict[str, int] = {}
    with acting_as(world.person), connection.cursor() as cursor:
        for kind, statement in ORPHANS.items():
            cursor.execute(statement, {"bank": to_uuid("bank", world.bank.id)})
            found[kind] = len(cursor.fetchall())
    return {kind: number for kind, number in found.items() if number}


def entities(stage: Stage) -> dict[str, str]:
    """Name to key of every live entity."""
    with acting_as(stage.world.person):
        rows = Entity.objects.filter(bank=stage.world.bank, until=None)
        return dict(rows.values_list("name", "name_key"))


def _quoted(name: str) -> str:
    return quote(name, safe="")
