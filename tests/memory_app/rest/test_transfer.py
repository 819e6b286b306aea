from __future__ import annotations

import json

from tests.factories import World, make_bank, make_world
from tests.memory_app.rest.client import Rest, rest_of, session_of

JSONL = {"Content-Type": "application/jsonl"}


def file_of(rest: Rest) -> bytes:
    return b"".join(rest.get("export/"))


def test_a_bank_goes_out_and_into_an_empty_one(world: World, rest: Rest) -> None:
    """D10"""
    rest.save("The gate opens at seven.")
    make_bank(world, "copy")
    content = file_of(rest)
    person = session_of(world)

    first = person.post("/api/v1/banks/copy/import/", content, **JSONL)
    again = person.post("/api/v1/banks/copy/import/", content, **JSONL)

    found = person.get("/api/v1/banks/copy/memories").json()["memories"]
    assert (first.status_code, first.json()["status"]) == (201, "imported")
    assert (again.status_code, again.json()["status"]) == (200, "unchanged")
    assert [memory["content"] for memory in found] == ["The gate opens at seven."]
    assert json.loads(content.splitlines()[0])["counts"]["memory"] == 1


def test_an_agents_key_and_a_damaged_file_are_refused(world: World, rest: Rest) -> None:
    """D10"""
    rest.save("The gate opens at seven.")
    make_bank(world, "copy")
    content = file_of(rest)

    by_agent = rest.post("/api/v1/banks/copy/import/", content, **JSONL)
    damaged = session_of(world).post("/api/v1/banks/copy/import/", content[:-9], **JSONL)

    assert (by_agent.status_code, by_agent.json()["code"]) == (403, "role_insufficient")
    assert (damaged.status_code, damaged.json()["line"] > 1) == (400, True)


def test_a_reader_and_a_stranger_get_no_export(stranger: World) -> None:
    """D10"""
    reader = make_world(tier="read")

    by_reader = rest_of(reader).get("export/")
    by_stranger = rest_of(stranger).get(f"/api/v1/banks/{reader.bank.id}/export/")

    assert (by_reader.status_code, by_stranger.status_code) == (403, 404)
