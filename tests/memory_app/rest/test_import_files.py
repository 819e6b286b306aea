"""Files over REST: the same steps as on the screen."""

from __future__ import annotations

import pytest

from accounts.models import Organization
from accounts.tenancy import acting_as
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of, session_of

RAW = {"Content-Type": "application/octet-stream"}


def test_a_file_goes_through_every_step(rest: Rest) -> None:
    """E9, F7"""
    rest.save("Kit lives in Ayr.")
    table = "Note,Labels\nAda runs.,sport\nKit lives in Ayr.,home\n,\n" + "x" * 10_001 + ",\n"

    read = rest.post("imports/upload?name=people.csv", table.encode(), **RAW).json()
    place = f"imports/{read['import_id']}"
    mapped = rest.patch(place, {"mapping": {"Note": "content", "Labels": "tags"}}).json()
    checked = rest.post(f"{place}/check").json()
    status = rest.get(f"{place}/status").json()
    refused = rest.get(f"{place}/lines?outcome=refused").json()["lines"]
    errors = b"".join(rest.get(f"{place}/errors")).decode()
    started = rest.post(f"{place}/start").json()
    report = rest.get(place).json()
    undone = rest.post(f"{place}/undo").json()

    assert (read["status"], read["columns"], read["total"]) == ("ready", ["Note", "Labels"], 2)
    assert mapped["mapping"] == {"Note": "content", "Labels": "tags"}
    assert checked["counts"] == {"created": 1, "known": 1, "refused": 1}
    assert status["status"] == "checked"
    assert [line["number"] for line in refused] == [5]
    assert "10,000" in errors
    assert (started["status"], started["done"]) == ("done", 2)
    assert [line["outcome"] for line in report["lines"]] == ["created", "known", "refused"]
    assert undone["status"] == "undone"
    assert [row["content"] for row in rest.get("memories").json()["memories"]] == [
        "Kit lives in Ayr."
    ]


def test_pages_of_lines_follow_each_other(rest: Rest) -> None:
    read = rest.post("imports/upload", "\n".join(f"Fact {n}." for n in range(5)).encode(), **RAW)
    place = f"imports/{read.json()['import_id']}/lines"

    first = rest.get(f"{place}?limit=3").json()
    second = rest.get(f"{place}?limit=3&cursor={first['next_cursor']}").json()

    assert [line["text"] for line in first["lines"] + second["lines"]] == [
        f"Fact {n}." for n in range(5)
    ]
    assert "next_cursor" not in second


def test_steps_out_of_order_and_wrong_mappings_are_refused(rest: Rest) -> None:
    read = rest.post("imports/upload?name=a.csv", b"text,n\nAda runs.,1\n", **RAW).json()
    place = f"imports/{read['import_id']}"

    wrong = rest.patch(place, {"mapping": {"nothing": "content"}})
    rest.post(f"{place}/start")
    late = rest.post(f"{place}/check")
    unknown = rest.post("imports/upload?format=word", b"x", **RAW)

    assert (wrong.status_code, wrong.json()["field"]) == (400, "mapping")
    assert late.status_code == 409
    assert unknown.status_code == 400


def test_a_reading_agent_uploads_nothing() -> None:
    """A16"""
    reader = rest_of(make_world(tier="read"))

    assert reader.post("imports/upload", b"Ada runs.", **RAW).status_code == 403


def test_pins_need_the_tier_full_and_the_line_says_so() -> None:
    """Case 138"""
    results = {}
    for tier in ("read_write", "full"):
        world: World = make_world(tier=tier)
        rest = rest_of(world)
        data = b'[{"content": "Ada runs.", "pinned": true}]'
        read = rest.post("imports/upload?name=a.json", data, **RAW).json()
        rest.post(f"imports/{read['import_id']}/start")
        (line,) = rest.get(f"imports/{read['import_id']}").json()["lines"]
        (memory,) = rest.get("memories").json()["memories"]
        results[tier] = (memory["pinned"], line.get("reason"))

    assert results["full"] == (True, None)
    assert results["read_write"] == (False, "not pinned: that needs the tier full")


def test_an_import_above_the_cap_goes_over_days_when_asked(world: World, rest: Rest) -> None:
    """E10: a clear refusal with what is needed and left; then what fits, and when it goes on."""
    with acting_as(world.person):
        Organization.objects.filter(id=world.organization.id).update(daily_operation_cap=10)
    lines = "\n".join(f"Shelf {n} holds {n * 3} boxes." for n in range(20))
    read = rest.post("imports/upload", lines.encode(), **RAW).json()
    place = f"imports/{read['import_id']}/start"

    refused = rest.post(place)
    begun = rest.post(place, {"over_days": True}).json()

    assert (refused.status_code, refused.json()["needed"]) == (429, 20)
    assert (begun["status"], begun["done"]) == ("paused", 8)
    assert begun["goes_on_at"].endswith("T00:00:00+00:00")


FORM = {"Content-Type": "multipart/form-data; boundary=xyz"}
FORM_BODY = (
    b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    b"Ada runs.\r\n--xyz--\r\n"
)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "imports/upload"), ("PUT", "files?path=a.txt")]
)
def test_a_form_around_a_file_is_refused_and_not_stored(
    rest: Rest, world: World, method: str, path: str
) -> None:
    """What most clients send by default: its boundary lines would be memories, or part of the file."""
    refused = [caller.call(method, path, FORM_BODY, **FORM) for caller in (rest, session_of(world))]

    assert [answer.status_code for answer in refused] == [415, 415]
    assert {answer.json()["field"] for answer in refused} == {"Content-Type"}
    assert rest.get("imports").json()["imports"] == []
    assert rest.get("files").json()["files"] == []
