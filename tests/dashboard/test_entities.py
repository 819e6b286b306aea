"""The list of entities, one entity's page, and what people do there."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership, User
from accounts.tenancy import acting_as
from memory_app.models import Entity, EntityAlias, LedgerEntry
from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.dashboard.graphed import entity_called, state
from tests.factories import World


@pytest.fixture
def alice(desk: Desk) -> Entity:
    state(desk.world, "Alice builds pumps.", ("Alice", "builds", "Pump"))
    state(desk.world, "Alice sings in Oslo.", ("Alice", "sings in", "Oslo"))
    return entity_called(desk.world, "Alice")


def listed(desk: Desk, query: str = "") -> list[str]:
    page = desk.client.get(desk.url(f"entities/?{query}")).content.decode()
    return re.findall(r"data-open><bdi>([^<]*)</bdi>", page)


def live_names(world: World) -> set[str]:
    with acting_as(world.person):
        rows = Entity.objects.filter(bank_id=world.bank.id, until=None)
        return set(rows.values_list("name", flat=True))


def undo_of(page: str) -> str:
    """The address of the toast's undo."""
    found = re.search(r'data-undo.*?action="([^"]+)"', page, re.S)
    assert found is not None
    return found[1]


def test_entities_are_listed_by_degree_name_and_age(desk: Desk, alice: Entity) -> None:
    assert listed(desk)[0] == "Alice"
    assert listed(desk, "order=name") == ["Alice", "Oslo", "Pump"]
    assert listed(desk, "order=newest")[0] == "Oslo"
    assert listed(desk, "q=oSL") == ["Oslo"]
    assert listed(desk, "type=person") == listed(desk)
    assert listed(desk, "type=place") == []


def test_an_alias_is_found_too(desk: Desk, alice: Entity) -> None:
    desk.client.post(desk.url(f"entities/{alice.id}/alias"), {"name": "Liz"})

    assert listed(desk, "q=liz") == ["Alice"]


@pytest.mark.parametrize("order", ["degree", "name", "newest"])
def test_pages_go_through_every_entity_once_at_a_constant_cost(desk: Desk, order: str) -> None:
    edges = [("Hub", "has", f"Leaf {number}") for number in range(64)]
    state(desk.world, "A hub.", *edges[:30])
    address = desk.url(f"entities/?order={order}")
    desk.client.get(address)
    with CaptureQueriesContext(connection) as few:
        desk.client.get(address)
    state(desk.world, "A greater hub.", *edges[30:])

    with CaptureQueriesContext(connection) as many:
        first = desk.client.get(address).content.decode()
    after = re.search(r'href="([^"]*after=[^"]*)" rel="next"', first)
    assert after is not None
    second = desk.client.get(after[1].replace("&amp;", "&")).content.decode()

    found = re.findall(r"data-open><bdi>([^<]*)</bdi>", first + second)
    assert len(found) == len(set(found)) == 65
    assert len(few) == len(many)


@pytest.mark.parametrize("after", ["x", "1.mem_1", "-1.ent_1", "%00"])
def test_a_cursor_that_is_none_is_refused(desk: Desk, alice: Entity, after: str) -> None:
    assert desk.client.get(desk.url(f"entities/?after={after}")).status_code == 422


def test_the_page_tells_facts_over_time(desk: Desk, alice: Entity) -> None:
    """D9: author, time, how the name was resolved; ended facts with their end."""
    outdated = state(desk.world, "Alice lives in Rome.", ("Alice", "lives in", "Rome"))
    memories.retire(desk.world.person, "main", outdated.id, reason="Moved.")

    now = desk.client.get(desk.url(f"entities/{alice.id}/")).content.decode()
    ever = desk.client.get(desk.url(f"entities/{alice.id}/?facts=all")).content.decode()
    before = desk.client.get(desk.url(f"entities/{alice.id}/?as_of=2001-01-01")).content.decode()

    assert "Alice sings in Oslo." in now
    assert "by its name" in now
    assert "Alice lives in Rome." not in now
    assert "Alice lives in Rome." in ever
    assert "until" in ever
    assert "It did not stand at that time." in before


def test_renaming_is_undone_from_the_toast(desk: Desk, alice: Entity) -> None:
    url = desk.url(f"entities/{alice.id}/change")

    page = desk.client.post(url, {"name": "Alice Ng", "type": "singer"}, follow=True)
    renamed = live_names(desk.world)
    desk.client.post(undo_of(page.content.decode()))

    assert "Alice Ng" in renamed
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo"}
    with acting_as(desk.world.person):
        assert not EntityAlias.objects.filter(bank_id=desk.world.bank.id).exists()


def test_merging_from_the_page_is_undone_from_the_toast(desk: Desk, alice: Entity) -> None:
    page = desk.client.post(
        desk.url(f"entities/{alice.id}/merge"), {"variant": "pump"}, follow=True
    )
    merged = live_names(desk.world)
    desk.client.post(undo_of(page.content.decode()))

    assert merged == {"Alice", "Oslo"}
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo"}


@pytest.mark.parametrize("action", ["change", "alias", "merge", "split"])
def test_a_name_that_no_database_holds_is_refused_without_a_failure(
    desk: Desk, alice: Entity, action: str
) -> None:
    form = {"variant": "\x00", "name": "\x00"}

    here = desk.client.post(desk.url(f"entities/{alice.id}/{action}"), form)
    nowhere = desk.client.post(desk.url(f"entities/\x00/{action}"), {"variant": "x", "name": "x"})

    assert here.status_code in {302, 404}
    assert nowhere.status_code == 404
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo"}


def test_what_was_merged_away_leads_to_where_it_went(desk: Desk, alice: Entity) -> None:
    pump = entity_called(desk.world, "Pump")
    desk.client.post(desk.url(f"entities/{alice.id}/merge"), {"variant": "Pump"})

    answer = desk.client.get(desk.url(f"entities/{pump.id}/"))

    assert answer["Location"] == desk.url(f"entities/{alice.id}/")


def test_splitting_moves_the_ticked_facts_and_back(desk: Desk, alice: Entity) -> None:
    other = state(desk.world, "Alice paints.", ("Alice", "paints", "Wall"))

    page = desk.client.post(
        desk.url(f"entities/{alice.id}/split"),
        {"name": "Alice B.", "memory": [other.id], "next": desk.url("graph/")},
        follow=True,
    )
    apart = live_names(desk.world)
    desk.client.post(undo_of(page.content.decode()))

    assert "Moved to Alice B." in page.content.decode()
    assert apart == {"Alice", "Alice B.", "Pump", "Oslo", "Wall"}
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo", "Wall"}


def test_a_refused_change_says_why_and_changes_nothing(desk: Desk, alice: Entity) -> None:
    page = desk.client.post(
        desk.url(f"entities/{alice.id}/change"),
        {"name": "Pump", "next": desk.url(f"entities/{alice.id}/")},
        follow=True,
    )

    assert "leads to another entity already" in page.content.decode()
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo"}


def test_a_viewer_sees_no_form_and_may_not_post(desk: Desk, alice: Entity) -> None:
    viewer = User.objects.create_user(f"v-{alice.id}@example.com", "a long password 1")
    with acting_as(desk.world.person):
        Membership.objects.create(organization=desk.world.organization, user=viewer, role="viewer")
    client = Client()
    client.force_login(viewer, backend="django.contrib.auth.backends.ModelBackend")

    page = client.get(desk.url(f"entities/{alice.id}/")).content.decode()
    refused = client.post(desk.url(f"entities/{alice.id}/change"), {"name": "X"})

    assert desk.url(f"entities/{alice.id}/change") not in page
    assert refused.status_code == 403
    assert live_names(desk.world) == {"Alice", "Pump", "Oslo"}


def test_what_people_do_is_in_the_ledger(desk: Desk, alice: Entity) -> None:
    desk.client.post(desk.url(f"entities/{alice.id}/change"), {"name": "Alice Ng"})

    with acting_as(desk.world.person):
        entry = LedgerEntry.objects.filter(bank_id=desk.world.bank.id).latest("seq")
    assert (entry.operation, entry.target, entry.door) == ("rename_entity", alice.id, "dashboard")
    page = desk.client.get(desk.url(f"entities/{alice.id}/")).content.decode()
    assert "Alice → Alice Ng" in page


def test_no_title_or_label_of_a_page_turns_a_name_round(desk: Desk) -> None:
    """Case 034: what a browser's tab and a screen reader say is what is stored."""
    state(desk.world, "Gpj\u202eexe runs on Main.", ("Gpj\u202eexe", "runs on", "Main"))
    entity = entity_called(desk.world, "Gpj\u202eexe")

    pages = [
        desk.client.get(desk.url(f"entities/{entity.id}/")),
        desk.client.get(desk.url("memories/")),
    ]
    # A field to be edited holds what is stored.
    texts = [re.sub(r'value="[^"]*"', "", page.content.decode()) for page in pages]

    assert ["\u202e" in text for text in texts] == [False, False]
    assert "GpjU+202Eexe" in re.sub(r"\s+", " ", texts[0])
