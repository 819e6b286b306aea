from __future__ import annotations

from typing import Any

import pytest

from accounts.services.invitations import invite
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import parse_draft
from memory_app.models import Entity, ImportJob, Proposal
from memory_app.recall.values import Query
from memory_app.services import bulk, gaps, linking, memory_tests, recalling, saved_views
from memory_app.services.files import store_file
from memory_app.services.memories import save
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of, session_of
from tests.memory_app.rest.routes import Route, routes

PREFIXES = {
    "bank": "bank",
    "memory": "mem",
    "agent": "agent",
    "connection": "conn",
    "key": "key",
    "proposal": "prop",
    "import_id": "imp",
    "entity": "ent",
    "file": "file",
    "recall": "rec",
    "test": "test",
    "question": "gap",
    "decision": "gap",
    "change": "bulk",
    "view": "view",
    "person": "user",
    "invitation": "inv",
    "link": "link",
}
ROUTES = [route for route in routes() if route.parameters]
BELOW_BANK = [route for route in ROUTES if len(set(route.parameters) - {"watermark"}) > 1]


@pytest.fixture(scope="module")
def world(database: None) -> World:
    return make_world(tier="full")


@pytest.fixture(scope="module")
def callers(world: World) -> list[Rest]:
    """An agent's key and the owner's session."""
    return [rest_of(world), session_of(world)]


@pytest.fixture(scope="module")
def theirs(database: None) -> dict[str, str]:
    """One object of each kind in another organization, by the name of its path parameter."""
    other = make_world(tier="full")
    first = save(other.person, "main", parse_draft(content="The stranger's fox is red.")).memory
    second = save(other.person, "main", parse_draft(content="A pump runs at 40 hertz.")).memory
    with acting_as(other.person):
        proposal = Proposal.objects.create(
            organization=other.organization,
            bank=other.bank,
            kind="duplicate",
            old_memory_id=first.id,
            new_memory_id=second.id,
            pair_key="pair",
            confidence=0.7,
            created_by="agent_system_judge",
        )
        job = ImportJob.objects.create(
            organization=other.organization, bank=other.bank, actor="user", format="lines"
        )
        entity = Entity.objects.create(
            organization=other.organization,
            bank=other.bank,
            name="Fox",
            name_key="fox",
            created_by="user",
            since=1,
        )
    recall = recalling.search(other.caller, "main", Query(text="nothing", min_score=1.0)).recall_id
    question = gaps.list_open(other.person, "main")[0].key
    recalling.search(other.caller, "main", Query(text="never", min_score=1.0))
    decision = gaps.dismiss(other.person, "main", gaps.list_open(other.person, "main")[0].key)
    test = memory_tests.create(other.person, "main", query="fox", memory=first.id)
    change = bulk.begin(
        other.person, "main", "pin", bulk.parse_selection(ids=[first.id], where=None), {}
    )
    view = saved_views.save_view(other.person, "main", name="Theirs", query="", shared=True)
    key = rest_of(other).get("/api/v1/keys").json()["keys"][0]
    return {
        "bank": other.bank.id,
        "memory": first.id,
        "agent": other.agent.id,
        "connection": other.connection.id,
        "key": key["id"],
        "proposal": proposal.id,
        "import_id": job.id,
        "entity": entity.id,
        "file": store_file(other.person, "main", path="a.txt", chunks=[b"A"]).file.id,
        "recall": recall,
        "question": question,
        "decision": decision.id,
        "test": test.id,
        "change": change.operation.id,
        "view": view.id,
        "person": other.owner.id,
        "invitation": invite(other.person, email="guest@example.com").invitation.id,
        "link": linking.add_link(
            other.person, "main", source=first.id, target=second.id, type="references"
        )[0].id,
        "watermark": "1",
    }


@pytest.fixture
def unknown() -> dict[str, str]:
    fresh = {name: new_id(prefix) for name, prefix in PREFIXES.items()}
    return fresh | {"watermark": "1"}


def answered(rest: Rest, route: Route, values: dict[str, str]) -> tuple[int, dict[str, Any]]:
    answer = rest.call(route.method, route.address(values), route.body)
    return answer.status_code, answer.json() | {"request_id": ""}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
@pytest.mark.parametrize("who", [0, 1], ids=["agent", "owner"])
def test_foreign_object_is_answered_like_an_unknown_one(
    callers: list[Rest], theirs: dict[str, str], unknown: dict[str, str], route: Route, who: int
) -> None:
    """Issue section 2: on every route another organization's object is a 404 like any other."""
    foreign = answered(callers[who], route, theirs)

    assert foreign == answered(callers[who], route, unknown)
    assert foreign[0] == 404


@pytest.mark.parametrize("route", BELOW_BANK, ids=lambda route: route.name)
@pytest.mark.parametrize("who", [0, 1], ids=["agent", "owner"])
def test_foreign_object_below_an_own_bank_is_unknown_too(
    callers: list[Rest],
    theirs: dict[str, str],
    unknown: dict[str, str],
    world: World,
    route: Route,
    who: int,
) -> None:
    here = {"bank": world.bank.id}
    foreign = answered(callers[who], route, theirs | here)

    assert foreign == answered(callers[who], route, unknown | here)
    assert foreign[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "name"),
    [
        ("POST", "/api/v1/connections", {"agent": "{agent}", "bank": "main"}, "agent"),
        ("POST", "/api/v1/connections", {"agent": "coder", "bank": "{bank}"}, "bank"),
        ("POST", "/api/v1/keys", {"agent": "{agent}"}, "agent"),
        ("GET", "/api/v1/keys?agent={agent}", None, "agent"),
    ],
)
def test_foreign_object_in_a_body_or_query_is_unknown_too(
    callers: list[Rest],
    theirs: dict[str, str],
    unknown: dict[str, str],
    method: str,
    path: str,
    body: dict[str, str] | None,
    name: str,
) -> None:
    def ask(values: dict[str, str]) -> tuple[int, dict[str, Any]]:
        filled = (
            None if body is None else {key: text.format(**values) for key, text in body.items()}
        )
        answer = callers[1].call(method, path.format(**values), filled)
        return answer.status_code, answer.json() | {"request_id": ""}

    foreign = ask(theirs)

    assert foreign == ask(unknown)
    assert foreign[0] == 404
