"""Every address of the dashboard, asked by somebody of another organization."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from accounts.services.agents import update_agent
from accounts.services.api_keys import issue_key
from accounts.services.invitations import invite
from accounts.services.taking_back import last_change
from dashboard.urls import urlpatterns
from memory_app.domain.ids import new_id
from memory_app.domain.values import parse_draft
from memory_app.recall.values import Query
from memory_app.services import (
    bulk,
    gaps,
    importing,
    linking,
    memories,
    memory_tests,
    recalling,
    saved_views,
)
from memory_app.services.files import store_file
from tests.dashboard.conftest import Desk
from tests.factories import World

PREFIXES = {
    "memory": "mem",
    "entity": "ent",
    "agent": "agent",
    "connection": "conn",
    "key": "key",
} | {
    "proposal": "prop",
    "job": "imp",
    "invitation": "inv",
    "person": "user",
    "recall": "rec",
    "test": "test",
    "question": "gap",
    "decision": "gap",
    "operation": "bulk",
    "link": "link",
    "view": "view",
    "bank_id": "bank",
    "file": "file",
    "event": "event",
}
# Parts of addresses that name no object.
WORDS = {"action": "check", "kind": "jsonl"}
INSIDE = [p for p in urlpatterns if "organization" in p.pattern.converters]
NAMING = [p for p in INSIDE if set(PREFIXES) & set(p.pattern.converters)]
FORM = {
    "content": "x",
    "expected_watermark": "1",
    "decision": "replace",
    "step": "run",
    "lines": "x",
    "role": "viewer",
    "action": "revoke",
    "name": "x",
    "variant": "x",
    "memory": new_id("mem"),
}


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("route", INSIDE, ids=lambda route: route.name)
def test_another_organization_is_not_there(
    desk: Desk, stranger: World, route: URLPattern, method: str
) -> None:
    theirs = _ask(desk.client, route, method, stranger, _ids(route, stranger))
    nobodys = _ask(desk.client, route, method, None, _ids(route, None))

    assert theirs.status_code == nobodys.status_code
    assert theirs.status_code in {404, 405}
    assert theirs.content == nobodys.content


@pytest.mark.parametrize("route", NAMING, ids=lambda route: route.name)
def test_anothers_object_under_the_own_bank_is_not_there(
    desk: Desk, stranger: World, route: URLPattern
) -> None:
    theirs = _ask(desk.client, route, "post", desk.world, _ids(route, stranger))
    unknown = _ask(desk.client, route, "post", desk.world, _ids(route, None))

    assert theirs.status_code == unknown.status_code
    assert theirs.status_code in {404, 405}
    assert theirs.content == unknown.content


@pytest.mark.parametrize("route", INSIDE, ids=lambda route: route.name)
def test_nobody_signed_in_sees_the_sign_in_page_only(desk: Desk, route: URLPattern) -> None:
    answer = _ask(Client(), route, "post", desk.world, _ids(route, None))

    assert answer.status_code in {302, 405}
    assert "/accounts/login/" in answer.headers.get("Location", "/accounts/login/")


def _ask(
    client: Client, route: URLPattern, method: str, world: World | None, ids: dict[str, str]
) -> object:
    names = ids | {"organization": world.organization.slug if world else "no-such-place"}
    names |= {"seq": "1"} if "seq" in route.pattern.converters else {}
    names |= {"bank": "main"} if "bank" in route.pattern.converters else {}
    names |= {"watermark": "1"} if "watermark" in route.pattern.converters else {}
    return getattr(client, method)(reverse(f"dashboard:{route.name}", kwargs=names), FORM)


def _ids(route: URLPattern, world: World | None) -> dict[str, str]:
    known = _objects(world) if world else {}
    wanted = [name for name in route.pattern.converters if name in PREFIXES]
    words = {name: word for name, word in WORDS.items() if name in route.pattern.converters}
    return words | {name: known.get(name) or new_id(PREFIXES[name]) for name in wanted}


def _objects(world: World) -> dict[str, str]:
    saved = memories.save(world.caller, "main", parse_draft(content="Theirs alone."))
    beside = memories.save(world.person, "main", parse_draft(content="Beside it.")).memory
    unanswered = Query(text="Never answered?", min_score=1.0)
    recall = recalling.search(world.caller, "main", unanswered).recall_id
    recalling.search(world.caller, "main", replace(unanswered, text="Dismissed?"))
    dismissed, open_ = (gap.key for gap in gaps.list_open(world.person, "main"))
    return {
        "memory": saved.memory.id,
        "operation": bulk.begin(
            world.person, "main", "pin", bulk.parse_selection(ids=[saved.memory.id], where=None), {}
        ).operation.id,
        "view": saved_views.save_view(
            world.person, "main", name="Theirs", query="", shared=True
        ).id,
        "link": linking.add_link(
            world.person, "main", source=saved.memory.id, target=beside.id, type="references"
        )[0].id,
        "bank_id": world.bank.id,
        "file": store_file(
            world.person, "main", path="theirs.txt", chunks=iter([b"Theirs."])
        ).file.id,
        "event": _renamed(world),
        "agent": world.agent.id,
        "connection": world.connection.id,
        "key": issue_key(world.person, agent=world.agent.id).key.id,
        "invitation": invite(world.person, email="guest@example.com").invitation.id,
        "person": world.owner.id,
        "job": importing.run_import(world.caller, "main", "Theirs too.").import_id,
        "recall": recall,
        "question": open_,
        "decision": gaps.dismiss(world.person, "main", dismissed).id,
        "test": memory_tests.create(
            world.person, "main", query="theirs", memory=saved.memory.id
        ).id,
    }


def _renamed(world: World) -> str:
    """The event of a change that could be taken back."""
    started = timezone.now()
    update_agent(world.person, world.agent.id, description=new_id("agent"))
    return last_change(world.person, world.agent.id, since=started)
