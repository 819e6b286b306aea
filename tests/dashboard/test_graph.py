"""The graph page without a canvas, what the canvas draws, and the way in for an empty bank."""

from __future__ import annotations

import gzip
import json
from html import unescape
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.dashboard.graphed import entity_called, state
from tests.factories import World


@pytest.fixture
def team(desk: Desk) -> World:
    state(desk.world, "Maya leads Atlas.", ("Maya", "leads", "Atlas"))
    state(desk.world, "Atlas runs on Oslo.", ("Atlas", "runs on", "Oslo"), kind="system")
    state(desk.world, "Rome trades with Nile.", ("Rome", "trades with", "Nile"), kind="place")
    return desk.world


def drawn(desk: Desk, query: str = "") -> dict[str, object]:
    answer = desk.client.get(desk.url(f"graph/data?{query}"))
    assert answer.status_code == 200, answer.content
    found: dict[str, object] = answer.json()
    return found


def names(desk: Desk, query: str = "") -> set[str]:
    return {node[1] for node in drawn(desk, query)["nodes"]}  # type: ignore[attr-defined]


def test_a_bank_without_entities_offers_a_sample(desk: Desk) -> None:
    empty = desk.client.get(desk.url("graph/")).content.decode()

    built = desk.client.post(desk.url("entities/sample"), follow=True)

    assert "No entity is known here yet" in empty
    assert "A sample of four entities" in built.content.decode()
    assert names(desk) == {"Maya", "Omar", "Atlas", "Helsinki cluster"}


def test_the_picture_names_clusters_and_keeps_components_apart(desk: Desk, team: World) -> None:
    """D11"""
    picture = drawn(desk)

    nodes = {node[1]: node for node in picture["nodes"]}  # type: ignore[attr-defined]
    assert nodes["Atlas"][3] == 2
    assert nodes["Maya"][5] == nodes["Oslo"][5] != nodes["Rome"][5]
    assert nodes["Maya"][4] == nodes["Atlas"][4] != nodes["Rome"][4]
    assert picture["relations"] == ["leads", "runs on", "trades with"]
    page = desk.client.get(desk.url("graph/")).content.decode()
    assert "2 separate parts" in page


def test_the_address_keeps_the_view(desk: Desk, team: World) -> None:
    """D11: focus, depth, filters, expansion, path and selection are all in the address."""
    maya, oslo = entity_called(team, "Maya"), entity_called(team, "Oslo")
    rome = entity_called(team, "Rome")

    shown = {
        query: names(desk, query)
        for query in (
            f"focus={maya.id}",
            f"focus={maya.id}&depth=2",
            f"focus={maya.id}&expand={rome.id}",
            f"focus={maya.id}&select={oslo.id}",
            f"focus={maya.id}&to=oslo",
            "type=place",
            "relation=leads",
            f"author={team.agent.id}",
            "since=2100-01-01",
            "as_of=2001-01-01",
        )
    }

    everything = {"Maya", "Atlas", "Oslo", "Rome", "Nile"}
    assert list(shown.values()) == [
        {"Maya", "Atlas"},
        {"Maya", "Atlas", "Oslo"},
        {"Maya", "Atlas", "Rome", "Nile"},
        {"Maya", "Atlas", "Oslo"},
        {"Maya", "Atlas", "Oslo"},
        {"Rome", "Nile"},
        {"Maya", "Atlas"},
        everything,
        set(),
        set(),
    ]


def test_the_panel_holds_every_fact_its_author_and_the_neighbours(desk: Desk, team: World) -> None:
    """D11"""
    maya = entity_called(team, "Maya")

    page = desk.client.get(desk.url(f"graph/?focus={maya.id}")).content.decode()

    assert "Maya leads Atlas." in page
    assert "Coder" in page
    assert "Neighbours of Maya" in page
    assert 'data-panel="' + maya.id in page


def test_the_picture_travels_compressed(desk: Desk, team: World) -> None:
    plain = desk.client.get(desk.url("graph/data"))
    packed = desk.client.get(desk.url("graph/data"), headers={"Accept-Encoding": "gzip"})

    assert packed["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == plain.json()


def test_an_entity_that_is_gone_says_what_became_of_it(desk: Desk, team: World) -> None:
    maya, oslo, rome = (entity_called(team, name) for name in ("Maya", "Oslo", "Rome"))
    desk.client.post(desk.url(f"entities/{maya.id}/merge"), {"variant": "Oslo"})
    memory = state(desk.world, "Kit is here.", ("Kit", "likes", "Rome"))
    kit = entity_called(team, "Kit")
    memories.delete(desk.world.person, desk.world.bank.slug, memory.id)

    merged = desk.client.get(desk.url(f"graph/?select={oslo.id}"))
    gone = desk.client.get(desk.url(f"graph/?focus={kit.id}&expand={rome.id}"))

    assert "It was merged into" in merged.content.decode()
    assert f"?select={maya.id}" in merged.content.decode()
    assert "It is gone: no memory names it any more." in gone.content.decode()
    assert drawn(desk, f"select={oslo.id}")["nodes"]


def test_a_change_in_the_panel_and_its_undo_stay_in_the_view(desk: Desk, team: World) -> None:
    maya, oslo = entity_called(team, "Maya"), entity_called(team, "Oslo")
    view = desk.url(f"graph/?focus={maya.id}&depth=2")

    for address, form in (
        (f"entities/{maya.id}/change", {"name": "Maya M."}),
        (f"entities/{oslo.id}/merge", {"variant": "Nile"}),
    ):
        changed = desk.client.post(desk.url(address), form | {"next": view}, follow=True)
        toast = changed.content.decode().split("data-undo")[1]
        undone = desk.client.post(unescape(toast.split('action="')[1].split('"')[0]))

        assert changed.redirect_chain[-1][0] == undone["Location"] == view
    assert entity_called(team, "Maya")
    assert entity_called(team, "Nile")


def test_merging_with_nobody_says_so_in_the_view(desk: Desk, team: World, stranger: World) -> None:
    maya = entity_called(team, "Maya")
    view = desk.url(f"graph/?focus={maya.id}")
    state(stranger, "Theirs.", ("Secret", "knows", "Other"))

    form = {"variant": "Secret", "next": view}
    refused = desk.client.post(desk.url(f"entities/{maya.id}/merge"), form, follow=True)
    unknown = desk.client.post(
        desk.url(f"entities/{entity_called(stranger, 'Secret').id}/merge"), form
    )

    assert refused.redirect_chain[-1][0] == view
    assert "There is no entity called Secret." in refused.content.decode()
    assert unknown.status_code == 404


def test_a_path_is_told_step_by_step(desk: Desk, team: World) -> None:
    maya = entity_called(team, "Maya")

    found = desk.client.get(desk.url(f"graph/?focus={maya.id}&to=Oslo")).content.decode()
    apart = desk.client.get(desk.url(f"graph/?focus={maya.id}&to=Nile")).content.decode()
    unknown = desk.client.get(desk.url(f"graph/?focus={maya.id}&to=Nobody")).content.decode()

    assert 'id="path-title"' in found
    assert "No chain of at most six relationships leads to Nile." in apart
    assert "There is no entity called Nobody." in unknown


def test_htmx_gets_the_side_alone(desk: Desk, team: World) -> None:
    part = desk.client.get(desk.url("graph/"), headers={"HX-Request": "true"}).content.decode()

    assert "In this picture" in part
    assert "<html" not in part


def test_a_search_offers_where_to_start(desk: Desk, team: World) -> None:
    page = desk.client.get(desk.url("graph/?q=atl")).content.decode()

    assert f"focus={entity_called(team, 'Atlas').id}" in page


@pytest.mark.parametrize(
    "query",
    [
        "focus=mem_01",
        "depth=9",
        "nodes=5001",
        "nodes=x",
        "as_of=yesterday",
        "since=31.12.2026",
        "author=ent_1",
        "expand=" + quote(",".join(f"ent_{n}" for n in range(21))),
        "type=" + "x" * 61,
        "q=%00",
    ],
)
def test_an_address_that_says_nonsense_is_answered_in_words(
    desk: Desk, team: World, query: str
) -> None:
    assert desk.client.get(desk.url(f"graph/?{query}")).status_code in {404, 422}


def test_strangers_entities_are_not_there(desk: Desk, stranger: World) -> None:
    state(stranger, "Theirs.", ("Secret", "knows", "Other"))
    theirs = entity_called(stranger, "Secret")

    answers = [
        desk.client.get(desk.url(f"graph/?focus={theirs.id}")),
        desk.client.get(desk.url(f"graph/data?select={theirs.id}")),
        desk.client.get(desk.url(f"entities/{theirs.id}/")),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_the_page_costs_the_same_for_many_entities(desk: Desk) -> None:
    state(desk.world, "One.", ("Hub", "has", "Leaf 0"))
    hub = entity_called(desk.world, "Hub")
    address = desk.url(f"graph/?focus={hub.id}")
    desk.client.get(address)
    with CaptureQueriesContext(connection) as few:
        desk.client.get(address)
    for number in range(1, 9):
        state(desk.world, f"Leaf {number}.", ("Hub", "has", f"Leaf {number}"))

    with CaptureQueriesContext(connection) as many:
        desk.client.get(address)

    assert len(few) == len(many)


def test_the_palette_finds_entities(desk: Desk, team: World) -> None:
    options = desk.client.get(desk.url("palette?q=atlas")).content.decode()

    assert desk.url(f"entities/{entity_called(team, 'Atlas').id}/") in options


def test_hostile_names_are_text_everywhere(desk: Desk) -> None:
    """Case 142"""
    hostile = "<img src=x onerror=alert(1)>"
    state(desk.world, f"Says {hostile}.", (hostile, hostile, "Pump"), kind="<svg/onload=1>")
    entity = entity_called(desk.world, hostile)

    pages = [
        desk.client.get(desk.url(path)).content.decode()
        for path in (
            f"graph/?focus={entity.id}&to=Pump&q=img",
            "entities/",
            f"entities/{entity.id}/?facts=all",
            "palette?q=img",
        )
    ]

    assert not any("<img src=x" in page or "<svg/onload" in page for page in pages)
    assert all("&lt;img src=x" in page for page in pages)


def test_a_picture_that_leaves_entities_out_says_so(desk: Desk) -> None:
    """Case 148"""
    state(desk.world, "A hub.", *[("Hub", "has", f"Leaf {number}") for number in range(30)])

    page = desk.client.get(desk.url("graph/?nodes=10")).content.decode()

    assert "10 of 31 entities" in page
    assert "The best connected are shown" in page
