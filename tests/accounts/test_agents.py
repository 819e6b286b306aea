from __future__ import annotations

import pytest

from accounts.auth.api_keys import authenticate_key
from accounts.queries.agents import agents_with_access
from accounts.services.agents import (
    create_agent,
    get_agent,
    list_agents,
    pause_agent,
    resume_agent,
    update_agent,
)
from accounts.services.api_keys import issue_key
from accounts.services.connections import (
    change_connection,
    connect,
    disconnect,
    get_connection,
    list_connections,
    note_seen,
    pause_connection,
)
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    WrongIdPrefix,
)
from memory_app.domain.ids import new_id
from tests.accounts.people import join
from tests.factories import World, make_bank


def test_a_new_agent_reaches_nothing_by_itself(world: World) -> None:
    agent = create_agent(world.person, name="  Review   Bot ")

    found = get_agent(world.person, agent.slug)
    assert (found.name, found.slug) == ("Review Bot", "review-bot")
    assert (list(found.connections.all()), list(found.api_keys.all())) == ([], [])


def test_a_taken_slug_gets_a_number_only_when_it_was_not_asked_for(world: World) -> None:
    create_agent(world.person, name="Bot")

    assert create_agent(world.person, name="Bot!").slug == "bot-2"
    with pytest.raises(Conflict):
        create_agent(world.person, name="Other", slug="bot")


@pytest.mark.parametrize(
    "slug", ["Has Space", "UPPER", "", "a/b", "x" * 61, "a\x00", "-edge-", 5, "\ud800"]
)
def test_a_slug_in_another_form_is_refused(world: World, slug: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        create_agent(world.person, name="Bot", slug=slug)

    assert caught.value.field == "slug"


def test_a_name_of_signs_only_still_gets_a_slug(world: World) -> None:
    assert create_agent(world.person, name="!!!").slug == "agent"


def test_a_paused_agents_keys_rest_until_it_is_resumed(world: World) -> None:
    secret = issue_key(world.person, agent=world.agent.id).secret

    pause_agent(world.person, world.agent.id)
    resume_agent(world.person, world.agent.slug)

    assert authenticate_key(secret, door="rest").id == world.agent.id


def test_an_agent_sees_itself_and_manages_nothing(world: World) -> None:
    """Case 084."""
    other = create_agent(world.person, name="Other")

    assert [agent.id for agent in list_agents(world.caller).items] == [world.agent.id]
    with pytest.raises(NotFound):
        get_agent(world.caller, other.id)
    with pytest.raises(NotFound):
        pause_agent(world.caller, other.id)
    with pytest.raises(RoleInsufficient):
        pause_agent(world.caller, world.agent.id)
    with pytest.raises(RoleInsufficient):
        create_agent(world.caller, name="Clone")
    with pytest.raises(RoleInsufficient):
        change_connection(world.caller, world.connection.id, tier="full")
    assert get_agent(world.person, other.id).paused_at is None


def test_a_member_manages_its_own_agents_only(world: World) -> None:
    member = join(world, "member")
    own = create_agent(member, name="Own")

    assert update_agent(member, own.id, name="Mine").name == "Mine"
    assert connect(member, agent=own.id, bank="main").tier == "read_write"
    with pytest.raises(RoleInsufficient):
        update_agent(member, world.agent.id, name="Taken")
    with pytest.raises(RoleInsufficient):
        issue_key(member, agent=world.agent.id)
    with pytest.raises(RoleInsufficient):
        disconnect(member, world.connection.id)


def test_a_viewer_makes_no_agent(world: World) -> None:
    with pytest.raises(RoleInsufficient):
        create_agent(join(world, "viewer"), name="Bot")


def test_a_member_connects_to_no_private_bank_of_others(world: World) -> None:
    make_bank(world, "secret", visibility="private")
    member = join(world, "member")
    own = create_agent(member, name="Own")

    with pytest.raises(NotFound):
        connect(member, agent=own.id, bank="secret")


def test_connections_to_a_hidden_bank_are_hidden(world: World) -> None:
    make_bank(world, "secret", visibility="private")
    hidden = connect(world.person, agent=world.agent.id, bank="secret")
    member = join(world, "member")

    assert [row.bank.slug for row in list_connections(member).items] == ["main"]
    with acting_as(member):
        [coder] = agents_with_access(member).items
    assert [row.bank.slug for row in coder.shown_connections] == ["main"]  # type: ignore[attr-defined]
    with pytest.raises(NotFound):
        get_connection(member, hidden.id)


def test_a_stranger_finds_no_agent_bank_or_connection(world: World, stranger: World) -> None:
    own = create_agent(stranger.person, name="Own")

    for attempt in (
        lambda: get_agent(stranger.person, world.agent.id),
        lambda: update_agent(stranger.person, world.agent.id, name="x"),
        lambda: connect(stranger.person, agent=own.id, bank=world.bank.id),
        lambda: connect(stranger.person, agent=world.agent.id, bank="main"),
        lambda: change_connection(stranger.person, world.connection.id, tier="full"),
        lambda: disconnect(stranger.person, world.connection.id),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_the_answer_to_anothers_id_is_the_answer_to_an_unknown_one(
    world: World, stranger: World
) -> None:
    with pytest.raises(NotFound) as foreign:
        get_agent(stranger.person, world.agent.id)
    with pytest.raises(NotFound) as unknown:
        get_agent(stranger.person, new_id("agent"))

    assert foreign.value.message == unknown.value.message


def test_the_id_of_another_kind_is_an_error_at_once(world: World) -> None:
    """B1."""
    with pytest.raises(WrongIdPrefix):
        get_agent(world.person, world.bank.id)
    with pytest.raises(WrongIdPrefix):
        get_connection(world.person, world.agent.id)


@pytest.mark.parametrize("reference", ["", "\x00", "\ud800", "no-such", "agent_x", "é" * 500])
def test_a_reference_that_names_nothing_is_not_found(world: World, reference: str) -> None:
    with pytest.raises(NotFound):
        get_agent(world.person, reference)


def test_an_agent_is_connected_once(world: World) -> None:
    with pytest.raises(Conflict):
        connect(world.person, agent=world.agent.id, bank="main")


def test_a_new_connection_may_read_and_add(world: World) -> None:
    """A16: new connections default to `read_write`."""
    agent = create_agent(world.person, name="Bot")

    connection = connect(world.person, agent=agent.slug, bank=world.bank.id)

    assert (connection.tier, connection.toolsets) == ("read_write", ["essential"])


@pytest.mark.parametrize("tier", ["admin", "", 1, ["full"]])
def test_an_unknown_tier_is_refused(world: World, tier: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        change_connection(world.person, world.connection.id, tier=tier)

    assert caught.value.field == "tier"


@pytest.mark.parametrize("toolsets", [[], "", ["essential", "magic"], 7, [None], [["essential"]]])
def test_unknown_toolsets_are_refused(world: World, toolsets: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        change_connection(world.person, world.connection.id, toolsets=toolsets)

    assert caught.value.field == "toolsets"


def test_toolsets_are_kept_in_their_usual_order(world: World) -> None:
    changed = change_connection(world.person, world.connection.id, toolsets="notes, essential")

    assert changed.toolsets == ["essential", "notes"]


def test_pausing_twice_changes_nothing(world: World) -> None:
    first = pause_connection(world.person, world.connection.id).paused_at
    second = pause_connection(world.person, world.connection.id).paused_at

    assert first == second
    assert pause_connection(world.person, world.connection.id, paused=False).paused_at is None


def test_the_connect_page_sees_when_the_agent_was_here(world: World) -> None:
    note_seen(world.caller, world.connection.id, client="claude-code/2")

    found = get_connection(world.person, world.connection.id)
    assert found.last_seen_at is not None
    assert found.last_client == "claude-code/2"
