from __future__ import annotations

import pytest

from accounts.tenancy import acting_as
from memory_app.models import LedgerEntry
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of


@pytest.fixture
def pair(rest: Rest) -> tuple[str, str]:
    first = rest.save("The plan is on the shelf.")
    second = rest.save("A pump runs at 40 hertz.")
    return first["id"], second["id"]


def test_a_link_is_stated_listed_from_both_ends_and_ended(
    rest: Rest, world: World, pair: tuple[str, str]
) -> None:
    source, target = pair
    stated = {"target": target, "type": "references"}

    made = rest.post(f"memories/{source}/links", stated)
    again = rest.post(f"memories/{source}/links", stated)
    ends = [rest.get(f"memories/{end}/links").json()["links"] for end in pair]
    ended = rest.delete(f"memory-links/{made.json()['id']}")

    assert (made.status_code, again.status_code) == (201, 200)
    assert ends == [[made.json()], [made.json()]]
    assert ended.json()["until"] > made.json()["since"]
    assert rest.get(f"memories/{source}/links").json() == {"links": []}
    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank_id=world.bank.id).order_by("seq")
        assert list(entries.values_list("operation", flat=True))[-2:] == ["link", "unlink"]


def test_an_ended_link_is_gone_until_it_is_restored(rest: Rest, pair: tuple[str, str]) -> None:
    source, target = pair
    made = rest.post(f"memories/{source}/links", {"target": target, "type": "contradicts"}).json()
    rest.delete(f"memory-links/{made['id']}")

    twice = rest.delete(f"memory-links/{made['id']}")
    back = rest.post(f"memory-links/{made['id']}/restore")

    assert twice.status_code == 404
    assert (back.json()["type"], back.json()["target"]) == ("contradicts", target)
    assert rest.get(f"memories/{target}/links").json()["links"] == [back.json()]


@pytest.mark.parametrize(
    ("type", "field"), [("supersedes", "type"), ("vector_neighbor", "type"), ("like", "type")]
)
def test_only_what_callers_state_is_a_type(
    rest: Rest, pair: tuple[str, str], type: str, field: str
) -> None:
    refused = rest.post(f"memories/{pair[0]}/links", {"target": pair[1], "type": type})

    assert (refused.status_code, refused.json()["field"]) == (400, field)


def test_a_memory_links_neither_to_itself_nor_to_one_in_the_bin(
    rest: Rest, pair: tuple[str, str]
) -> None:
    source, target = pair
    itself = rest.post(f"memories/{source}/links", {"target": source, "type": "references"})
    rest.delete(f"memories/{target}")

    binned = rest.post(f"memories/{source}/links", {"target": target, "type": "references"})

    assert (itself.status_code, itself.json()["field"]) == (400, "target")
    assert binned.status_code == 409


def test_links_come_in_pages(rest: Rest, pair: tuple[str, str]) -> None:
    source, target = pair
    for type in ("references", "parent_of", "derived_from"):
        rest.post(f"memories/{source}/links", {"target": target, "type": type})

    first = rest.get(f"memories/{source}/links?limit=2").json()
    second = rest.get(f"memories/{source}/links?cursor={first['next_cursor']}").json()

    found = [link["type"] for link in first["links"] + second["links"]]
    assert found == ["derived_from", "parent_of", "references"]
    assert "next_cursor" not in second


def test_a_reader_sees_links_and_states_none() -> None:
    world = make_world(tier="read_write")
    rest = rest_of(world)
    source, target = (rest.save(text)["id"] for text in ("The shelf is full.", "Pumps are loud."))

    refused = rest.post(f"memories/{source}/links", {"target": target, "type": "references"})

    assert (refused.status_code, refused.json()["code"]) == (403, "tier_insufficient")
    assert rest.get(f"memories/{source}/links").json() == {"links": []}


def test_another_banks_memory_is_no_target(rest: Rest, pair: tuple[str, str]) -> None:
    theirs = rest_of(make_world(tier="full")).save("The stranger's fox is red.")["id"]

    foreign = rest.post(f"memories/{pair[0]}/links", {"target": theirs, "type": "references"})

    assert foreign.status_code == 404
