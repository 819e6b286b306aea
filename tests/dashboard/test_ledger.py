from __future__ import annotations

import json
from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import LedgerCheck, Memory
from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.jobs import do_jobs
from tests.memory_app.services.test_ledger import as_owner

Remember = Callable[..., Memory]


def test_every_change_stands_there_newest_first(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.")
    memories.pin(desk.world.person, "main", memory.id)

    rows = desk.client.get(desk.url("ledger/")).context["entries"]

    assert [(row.seq, row.did) for row in rows if row.did != "indexed"] == [
        (2, "pinned"),
        (1, "saved"),
    ]
    assert rows[-1].memory.snippet == "The office closes at six."


def test_filters_and_pages_leave_no_entry_out(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.")
    for _ in range(30):
        memories.pin(desk.world.person, "main", memory.id)
        memories.unpin(desk.world.person, "main", memory.id)

    first = desk.client.get(desk.url(f"ledger/?who={desk.world.owner.id}"))
    second = desk.client.get(first.context["older_url"])

    seqs = [row.seq for page in (first, second) for row in page.context["entries"]]
    assert len(seqs) == 60
    assert seqs == sorted(set(seqs), reverse=True)


def test_an_entry_tells_what_changed_and_how_it_is_sealed(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.")
    fields = {"content": "The office closes at seven."}
    desk.client.post(desk.memory_url(memory, "edit"), fields | {"expected_watermark": "1"})

    page = desk.client.get(desk.url("ledger/2"))

    entry = page.context["entry"]
    assert [(piece.kind, piece.text) for piece in entry.pieces if piece.kind != "same"] == [
        ("gone", "six"),
        ("new", "seven"),
    ]
    assert entry.intact
    assert entry.previous_hash in page.content.decode()


def test_the_chain_is_proved_by_a_job(desk: Desk, remember: Remember) -> None:
    remember("The office closes at six.")

    desk.client.post(desk.url("ledger/verify"))
    running = desk.client.get(desk.url("ledger/")).context["check"]
    do_jobs(desk.world)
    done = desk.client.get(desk.url("ledger/")).context["check"]

    assert running.state == "running"
    assert (done.state, done.entries) == ("holds", 1)


def test_the_panel_of_the_check_is_answered_alone(desk: Desk, remember: Remember) -> None:
    remember("The office closes at six.")

    part = desk.client.get(
        desk.url("ledger/"), headers={"HX-Request": "true", "HX-Target": "check"}
    ).content.decode()

    assert part.lstrip().startswith('<div id="check"')
    assert "Entries, newest first" not in part


def test_a_break_is_named_and_led_to(desk: Desk, remember: Remember) -> None:
    """Case: somebody with the owner's role rewrites an entry."""
    remember("The office closes at six.")
    remember("The canteen opens at noon.")
    as_owner(
        desk.world,
        "UPDATE ledger_entries SET reason = 'nothing to see' WHERE bank_id = %s AND seq = 1",
    )

    desk.client.post(desk.url("ledger/verify"))
    do_jobs(desk.world)
    check = desk.client.get(desk.url("ledger/")).context["check"]

    assert (check.state, check.broken_at, check.entries) == ("broken", 1, 0)
    assert check.reason == "the entry was changed"
    assert check.broken_url == desk.url("ledger/1")


def test_one_check_runs_at_a_time(desk: Desk) -> None:
    desk.client.post(desk.url("ledger/verify"))
    desk.client.post(desk.url("ledger/verify"))

    with acting_as(desk.world.person):
        assert LedgerCheck.objects.filter(bank=desk.world.bank).count() == 1


def test_the_export_holds_every_entry_once_in_order(desk: Desk, remember: Remember) -> None:
    for number in range(5):
        remember(f"Number {number} says so.")

    answer = desk.client.get(desk.url("ledger/export"))
    lines = [json.loads(line) for line in b"".join(answer).decode().splitlines()]

    assert [line["seq"] for line in lines] == [1, 2, 3, 4, 5]
    assert lines[0]["content"]["content"] == "Number 0 says so."
    assert lines[1]["previous_hash"] == lines[0]["hash"]
    assert answer["Content-Disposition"].startswith("attachment")


def test_the_list_costs_the_same_for_one_entry_and_for_fifty(
    desk: Desk, remember: Remember
) -> None:
    memory = remember("The office closes at six.")
    with CaptureQueriesContext(connection) as few:
        desk.client.get(desk.url("ledger/"))
    for _ in range(25):
        memories.pin(desk.world.person, "main", memory.id)
        memories.unpin(desk.world.person, "main", memory.id)

    with CaptureQueriesContext(connection) as many:
        desk.client.get(desk.url("ledger/"))

    assert len(many) <= len(few)


def test_an_entry_that_never_was_is_not_found(desk: Desk) -> None:
    assert desk.client.get(desk.url("ledger/9999999999999999999999")).status_code == 404
