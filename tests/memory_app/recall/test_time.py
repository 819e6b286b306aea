"""What was believed at an earlier instant (F3, D4)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_app.domain.values import Changes
from memory_app.providers import clock
from memory_app.recall import Filters, Query
from memory_app.services import memories
from tests.factories import World
from tests.memory_app.recall.asking import ask, contents, save

BEFORE = clock.now() - timedelta(days=3)
BETWEEN = clock.now() - timedelta(days=2)
LATER = clock.now() - timedelta(days=1)


@pytest.fixture
def changed(world: World) -> World:
    """One memory edited and one retired, a day after they were written."""
    with clock.frozen(BEFORE):
        edited = save(world, "The relay listens on port 8443.", tags=["net"])
        retired = save(world, "Kit lives in Ayr.")
    with clock.frozen(LATER):
        memories.edit(
            world.person,
            "main",
            edited.id,
            Changes(content="The relay listens on port 9001."),
            expected_watermark=None,
        )
        memories.retire(world.person, "main", retired.id)
        save(world, "Kit lives in Oban.")
    return world


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_an_earlier_instant_is_answered_as_it_was_believed_then(changed: World, mode: str) -> None:
    then = ask(changed, "which port does the relay use", mode=mode, as_of=BETWEEN)
    now = ask(changed, "which port does the relay use", mode=mode)

    assert contents(then)[0] == "The relay listens on port 8443."
    assert contents(now)[0] == "The relay listens on port 9001."
    assert then.watermark < now.watermark


def test_a_memory_retired_since_is_found_at_the_earlier_instant(changed: World) -> None:
    then = contents(ask(changed, "Where does Kit live?", as_of=BETWEEN))

    assert "Kit lives in Ayr." in then
    assert "Kit lives in Oban." not in then
    assert "Kit lives in Ayr." not in contents(ask(changed, "Where does Kit live?"))


def test_nothing_was_believed_before_anything_was_written(changed: World) -> None:
    result = ask(changed, "relay", as_of=BEFORE - timedelta(days=1))

    assert result.hits == ()
    assert result.watermark == 0


def test_filters_hold_at_an_earlier_instant(changed: World) -> None:
    result = ask(changed, "relay", as_of=BETWEEN, filters=Filters(tags=("net",)))

    assert contents(result) == ["The relay listens on port 8443."]


def test_an_edited_memory_is_found_by_its_new_words_only(changed: World) -> None:
    assert contents(ask(changed, "9001", mode="keyword")) == ["The relay listens on port 9001."]
    assert contents(ask(changed, "8443", mode="keyword")) == []


@pytest.mark.parametrize(
    ("bounds", "found"),
    [
        ({"created_from": BETWEEN}, {"Kit lives in Oban."}),
        ({"created_to": BETWEEN}, {"The relay listens on port 9001."}),
        ({"created_from": BETWEEN, "created_to": BETWEEN}, set()),
    ],
)
def test_a_time_range_filters_by_creation(
    changed: World, bounds: dict[str, object], found: set[str]
) -> None:
    """B11."""
    filters = Filters(**bounds)  # type: ignore[arg-type]

    assert set(contents(ask(changed, "relay Kit", filters=filters))) == found


def test_a_query_without_text_is_the_profile() -> None:
    assert Query().is_profile
    assert Query(text="  \n").is_profile
    assert not Query(text="x").is_profile
    assert not Query(text="x", mode="lookup").needs_vector
