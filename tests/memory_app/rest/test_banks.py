from __future__ import annotations

from memory_app.services import ledger
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, session_of

BANK = "/api/v1/banks/main"


def test_a_bank_goes_to_the_bin_and_comes_back_as_it_was(world: World, rest: Rest) -> None:
    saved = rest.save("The shelf is full.")
    client = session_of(world)

    gone = client.delete(f"{BANK}?confirm=main")
    hidden = rest.get("memories")
    [binned] = client.get("/api/v1/binned-banks").json()["banks"]
    back = client.post(f"/api/v1/banks/{binned['id']}/restore")

    assert gone.status_code == 200
    assert gone.json() == binned
    assert hidden.status_code == 404
    assert back.json()["slug"] == "main"
    assert rest.get(f"memories/{saved['id']}").status_code == 200
    assert ledger.verify(world.person, "main").valid


def test_a_bank_is_deleted_by_its_name_only(world: World) -> None:
    client = session_of(world)

    unnamed = client.delete(BANK)
    misnamed = client.delete(f"{BANK}?confirm=other")

    assert [answer.status_code for answer in (unnamed, misnamed)] == [400, 400]
    assert misnamed.json()["field"] == "confirm"
    assert client.get(BANK).status_code == 200


def test_what_is_not_in_the_bin_is_not_restored(world: World) -> None:
    client = session_of(world)

    live = client.post(f"/api/v1/banks/{world.bank.id}/restore")
    client.delete(f"{BANK}?confirm=main")
    first = client.post(f"/api/v1/banks/{world.bank.id}/restore")
    second = client.post(f"/api/v1/banks/{world.bank.id}/restore")

    assert [answer.status_code for answer in (live, first, second)] == [404, 200, 404]


def test_an_agent_restores_nothing_and_a_stranger_finds_nothing(world: World, rest: Rest) -> None:
    session_of(world).delete(f"{BANK}?confirm=main")
    path = f"/api/v1/banks/{world.bank.id}/restore"
    stranger = session_of(make_world())

    agent = rest.post(path)
    theirs = stranger.post(path)

    assert (agent.status_code, agent.json()["code"]) == (403, "role_insufficient")
    assert theirs.status_code == 404
    assert stranger.get("/api/v1/binned-banks").json() == {"banks": []}
