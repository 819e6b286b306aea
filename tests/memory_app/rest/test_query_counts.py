from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from memory_app.domain.values import parse_draft
from memory_app.services.memories import save_many
from tests.factories import World, make_bank
from tests.memory_app.rest.client import Rest

LISTS = [
    "memories?limit=200",
    "ledger?limit=200",
    "activity?limit=200",
    "tags",
    "profile?limit=50",
    "imports",
    "gaps",
    "gaps?status=dismissed",
    "memory-tests?limit=50",
    "proposals",
    "audit?limit=200",
    "notes?limit=200",
    "facts?top_k=50&digest=true",
    "facts?top_k=50&query=row",
    "pending-documents",
    "/api/v1/banks",
    "/api/v1/agents",
    "/api/v1/connections",
    "/api/v1/keys",
]


def fill(world: World, numbers: range) -> None:
    drafts = [parse_draft(content=f"Row {n} holds {n * 31}.", tags=[f"t{n}"]) for n in numbers]
    save_many(world.person, "main", drafts)
    for number in numbers[::5]:
        make_bank(world, f"bank-{number}")
        agent = create_agent(world.person, name=f"Agent {number}")
        issue_key(world.person, agent=agent.id)


def statements(rest: Rest, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert rest.get(path).status_code == 200
    return len(queries)


@pytest.mark.parametrize("path", LISTS)
def test_list_costs_the_same_for_ten_rows_and_for_sixty(
    rest: Rest, world: World, path: str
) -> None:
    fill(world, range(10))
    rest.get(path)
    few = statements(rest, path)

    fill(world, range(10, 60))

    assert statements(rest, path) == few
