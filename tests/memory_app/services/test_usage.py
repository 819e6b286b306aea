from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection as database
from pytest_django.fixtures import Settings

from accounts.actor import JUDGE, Actor, system_actor
from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.organizations import get_organization, update_organization
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    ContentTooLong,
    DailyCapReached,
    RateLimited,
    TierInsufficient,
)
from memory_app.domain.values import parse_draft
from memory_app.models import Memory, RateWindow
from memory_app.providers.clock import frozen, now
from memory_app.recall.values import Query
from memory_app.services import usage
from memory_app.services.memories import save, save_many
from memory_app.services.recalling import search
from tests.factories import World

NOON = datetime(2026, 11, 30, 12, 0, 20, tzinfo=UTC)
THREADS = 32
REQUESTS = 640
LIMIT = 100


def count(actor: Actor, n: int = 1, kind: Any = "write") -> None:
    with acting_as(actor):
        usage.count_operations(actor, n, kind)


def key_holder(world: World, per_minute: int | None = None) -> Actor:
    key = issue_key(world.person, agent=world.agent.id, requests_per_minute=per_minute).key
    return Actor(
        organization_id=world.organization.id, kind="agent", id=world.agent.id, key_id=key.id
    )


def reader_of(world: World) -> Actor:
    """An agent without a connection: it may read what the organization sees."""
    agent = create_agent(world.person, name="Reader")
    return Actor(organization_id=world.organization.id, kind="agent", id=agent.id)


def outcomes_of(call: Callable[[], None]) -> Counter[str]:
    """What 640 calls from 32 threads came to, each thread with its own connection."""
    found: Counter[str] = Counter()
    start = threading.Barrier(THREADS)

    def work() -> None:
        start.wait()
        mine = [attempt(call) for _ in range(REQUESTS // THREADS)]
        database.close()
        found.update(mine)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return found


def attempt(call: Callable[[], None]) -> str:
    with frozen(NOON):
        try:
            call()
        except (DailyCapReached, RateLimited) as error:
            return error.code
    return "passed"


def test_of_640_operations_at_once_exactly_the_cap_passes(world: World) -> None:
    """E10, case 096."""
    update_organization(world.person, daily_operation_cap=LIMIT)

    found = outcomes_of(lambda: count(world.caller))

    assert found == {"passed": LIMIT, "daily_cap_reached": REQUESTS - LIMIT}
    with frozen(NOON):
        assert usage.today(world.person).operations == LIMIT


def test_of_640_requests_at_once_exactly_the_limit_passes(world: World) -> None:
    """Case 096."""
    actor = key_holder(world, per_minute=LIMIT)

    found = outcomes_of(lambda: usage.check_rate(actor))

    assert found == {"passed": LIMIT, "rate_limited": REQUESTS - LIMIT}


def test_over_the_cap_nothing_is_half_done(world: World) -> None:
    """E10."""
    update_organization(world.person, daily_operation_cap=10)
    count(world.caller, 8)

    def write() -> None:
        with acting_as(world.person):
            world.organization.name = "Half done"
            world.organization.save(update_fields=["name"])
            usage.count_operations(world.person, 3, "write")

    with pytest.raises(DailyCapReached):
        write()
    assert usage.today(world.person).operations == 8
    assert get_organization(world.person).name != "Half done"


def test_the_refusal_says_when_the_cap_resets(world: World) -> None:
    """E10: resets at 00:00 UTC."""
    update_organization(world.person, daily_operation_cap=0)

    with frozen(NOON), pytest.raises(DailyCapReached) as caught:
        count(world.caller)

    assert caught.value.details["resets_at"] == "2026-12-01T00:00:00+00:00"
    assert "2026-12-01T00:00:00+00:00" in caught.value.hint
    assert caught.value.status == 429


def test_a_batch_over_the_cap_is_refused_whole(world: World) -> None:
    """E10."""
    update_organization(world.person, daily_operation_cap=10)

    with pytest.raises(DailyCapReached):
        count(world.caller, 11)
    count(world.caller, 10)

    assert usage.today(world.person).remaining == 0


def test_the_next_day_starts_at_nothing(world: World) -> None:
    """E10."""
    update_organization(world.person, daily_operation_cap=1)
    with frozen(NOON):
        count(world.caller)

    with frozen(NOON.replace(hour=23, minute=59, second=59)), pytest.raises(DailyCapReached):
        count(world.caller)
    with frozen(NOON + timedelta(hours=12)):
        count(world.caller)
        assert usage.today(world.person).operations == 1


def test_writes_and_searches_are_told_apart(world: World) -> None:
    count(world.caller, 3, "write")
    count(world.caller, 1, "search")

    today = usage.today(world.person)
    assert (today.operations, today.writes, today.searches) == (4, 3, 1)
    assert [row.operations for row in usage.last_days(world.person)] == [4]


def test_the_servers_cap_holds_where_the_organization_has_none(
    world: World, settings: Settings
) -> None:
    settings.DAILY_OPERATION_CAP = 2
    count(world.caller, 2)

    with pytest.raises(DailyCapReached):
        count(world.caller)


def test_the_products_own_actors_use_nothing_up(world: World) -> None:
    count(system_actor(world.organization.id, JUDGE), 50)

    assert usage.today(world.person).operations == 0


def test_one_organizations_use_is_not_anothers(world: World, stranger: World) -> None:
    update_organization(world.person, daily_operation_cap=1)
    count(world.caller)

    count(stranger.caller)

    assert usage.today(stranger.person).operations == 1


def test_what_counts_is_what_the_docs_say(world: World) -> None:
    """E3, E10, case 096: the table in docs/access.md."""

    def used() -> int:
        return usage.today(world.person).operations

    save(world.caller, "main", parse_draft(content="The kiosk opens at nine."))
    assert used() == 1
    save(world.caller, "main", parse_draft(content="the kiosk  opens at nine."))
    assert used() == 2
    with pytest.raises(ContentTooLong):
        save(world.caller, "main", parse_draft(content="x" * 10_001))
    with pytest.raises(TierInsufficient):
        save(reader_of(world), "main", parse_draft(content="Not allowed."))
    assert used() == 2
    search(world.caller, "main", Query(text="kiosk"))
    assert used() == 3
    for profile in (Query(), Query(text="  "), Query(text="kiosk", mode="profile")):
        search(world.caller, "main", profile)
    assert used() == 3


def test_a_batch_of_memories_over_the_cap_stores_none(world: World) -> None:
    """E10."""
    update_organization(world.person, daily_operation_cap=2)
    drafts = [parse_draft(content=f"Locker {number} is empty.") for number in range(3)]

    with pytest.raises(DailyCapReached):
        save_many(world.caller, "main", drafts)

    with acting_as(world.person):
        assert not Memory.objects.filter(bank_id=world.bank.id).exists()


def test_want_of_room_is_told_before_the_work(world: World) -> None:
    update_organization(world.person, daily_operation_cap=5)

    with acting_as(world.caller):
        usage.require_room(world.caller, 5)
        with pytest.raises(DailyCapReached):
            usage.require_room(world.caller, 6)
    assert usage.today(world.person).operations == 0


def test_the_minutes_refusal_says_how_long_to_wait(world: World) -> None:
    actor = key_holder(world, per_minute=1)

    with frozen(NOON):
        usage.check_rate(actor)
        with pytest.raises(RateLimited) as caught:
            usage.check_rate(actor)

    assert caught.value.details == {"retry_after": 40}
    with frozen(NOON + timedelta(seconds=40)):
        usage.check_rate(actor)


def test_each_key_has_its_own_minute(world: World) -> None:
    first, second = key_holder(world, per_minute=1), key_holder(world, per_minute=1)

    with frozen(NOON):
        usage.check_rate(first)
        usage.check_rate(second)
        with pytest.raises(RateLimited):
            usage.check_rate(first)


def test_a_key_without_a_limit_of_its_own_has_the_servers(world: World, settings: Settings) -> None:
    settings.KEY_REQUESTS_PER_MINUTE = 2
    actor = key_holder(world)

    with frozen(NOON):
        usage.check_rate(actor)
        usage.check_rate(actor)
        with pytest.raises(RateLimited):
            usage.check_rate(actor)


def test_people_are_not_counted_by_the_minute(world: World) -> None:
    usage.check_rate(world.person)

    with acting_as(world.person):
        assert not RateWindow.objects.exists()


def test_old_minutes_are_forgotten(world: World) -> None:
    actor = key_holder(world)
    with frozen(now() - timedelta(hours=2)):
        usage.check_rate(actor)
    usage.check_rate(actor)

    assert usage.forget_old_usage(world.person) == 1
