from __future__ import annotations

import pytest

from accounts.actor import AUTO_LINK
from accounts.tenancy import acting_as
from memory_app.models import LedgerEntry, Link
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
    assert itself.json()["code"] == "self_loop"
    assert binned.status_code == 409


def near(world: World, source: str, target: str) -> Link:
    """A link as the system draws it between two memories that are near in meaning."""
    ends = {"source_id": source, "target_id": target, "actor": AUTO_LINK, "since": 1, "score": 0.9}
    with acting_as(world.person):
        return Link.objects.create(
            organization=world.organization, bank=world.bank, type="vector_neighbor", **ends
        )


def test_what_the_system_observed_is_not_taken_away_by_hand(
    rest: Rest, world: World, pair: tuple[str, str]
) -> None:
    """B6."""
    link = near(world, *pair)

    refused = rest.delete(f"memory-links/{link.id}")

    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_unlink_synthetic_edge")
    assert [each["id"] for each in rest.get(f"memories/{pair[0]}/links").json()["links"]] == [
        link.id
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_two_that_the_system_has_linked_are_linked_already(
    rest: Rest, world: World, pair: tuple[str, str], turned: bool
) -> None:
    """B6."""
    near(world, *pair)
    source, target = pair[::-1] if turned else pair

    refused = rest.post(f"memories/{source}/links", {"target": target, "type": "references"})

    assert (refused.status_code, refused.json()["code"]) == (409, "already_linked_via_synthetic")


def test_a_stated_link_comes_back_although_the_system_sees_one_by_now(
    rest: Rest, world: World, pair: tuple[str, str]
) -> None:
    made = rest.post(f"memories/{pair[0]}/links", {"target": pair[1], "type": "references"}).json()
    near(world, *pair)
    rest.delete(f"memory-links/{made['id']}")

    back = rest.post(f"memory-links/{made['id']}/restore")

    assert (back.status_code, back.json()["type"]) == (200, "references")


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
