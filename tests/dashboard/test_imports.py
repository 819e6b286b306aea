from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from accounts.models import Membership, Organization
from accounts.tenancy import acting_as
from memory_app.models import File, ImportJob, ImportLine, Memory, PendingDocument
from memory_app.services import importing
from tests.dashboard.conftest import Desk
from tests.jobs import do_jobs

LINES = "1. The office closes at six.\n2. “Lunch is at noon.”\n3. The office  closes at SIX.\n"


def post(desk: Desk, place: str, **data: Any) -> Any:
    return desk.client.post(desk.url(place), data, follow=True)


def read(desk: Desk, lines: str, **data: Any) -> str:
    """Paste it; the address of the import."""
    page = post(desk, "import/", lines=lines, **data)
    return f"import/{page.context['job'].id}/"


def texts(desk: Desk) -> list[str]:
    with acting_as(desk.world.person):
        live = Memory.objects.filter(bank=desk.world.bank, deleted_at=None)
        return [row.content for row in live.order_by("id")]


def test_a_paste_is_read_and_looked_at_before_anything_is_stored(
    desk: Desk, remember: Callable[..., Memory]
) -> None:
    """E9: exact repeats are merged as they land, and every line's fate is reported."""
    remember("Lunch is at noon.")

    place = read(desk, LINES)
    looked = post(desk, f"{place}check")
    before = texts(desk)
    done = post(desk, f"{place}start")

    assert [(line.text, line.label) for line in looked.context["lines"]] == [
        ("The office closes at six.", "new"),
        ("Lunch is at noon.", "known already"),
        ("The office  closes at SIX.", "known already"),
    ]
    assert before == ["Lunch is at noon."]
    assert [count.number for count in done.context["job"].counts] == [1, 2]
    assert texts(desk) == ["Lunch is at noon.", "The office closes at six."]


def test_an_import_is_undone_as_a_whole(desk: Desk) -> None:
    """E9"""
    place = read(desk, LINES)
    post(desk, f"{place}start")

    undone = post(desk, f"{place}undo")

    assert texts(desk) == []
    assert "This import is undone." in undone.content.decode()
    assert {line.label for line in undone.context["lines"]} == {"taken back", "known already"}
    assert [count.label for count in undone.context["job"].counts] == [
        "taken back",
        "known already",
    ]


def test_more_than_five_hundred_are_refused_and_the_text_stays(desk: Desk) -> None:
    """E9"""
    lines = "\n".join(f"Statement number {n}." for n in range(501))

    page = desk.client.post(desk.url("import/"), {"lines": lines})

    assert page.status_code == 422
    assert "at most 500" in page.content.decode()
    assert "Statement number 500" in page.content.decode()


def test_broken_json_says_where(desk: Desk) -> None:
    page = desk.client.post(desk.url("import/"), {"lines": '["a",\n"b"'})

    assert page.status_code == 422
    assert "line 2" in page.content.decode()


def test_dropped_files_are_one_import(desk: Desk) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("team.md", "- Kit lives in Ayr.\n")
    files = [
        SimpleUploadedFile("a.txt", "Ada runs.".encode("utf-16")),
        SimpleUploadedFile("b.zip", packed.getvalue()),
    ]

    page = post(desk, "import/", files=files)

    assert page.context["job"].name == "a.txt, b.zip"
    assert [(line.text, line.place) for line in page.context["lines"]] == [
        ("Ada runs.", "a.txt:1"),
        ("Kit lives in Ayr.", "team.md:1"),
    ]


def test_columns_are_mapped_by_hand_and_remembered_for_the_next_time(desk: Desk) -> None:
    table = SimpleUploadedFile("a.csv", b"Name,Text,Labels\nKit,Lives in Ayr.,home\n")
    place = f"import/{post(desk, 'import/', files=[table]).context['job'].id}/"
    chosen = {"column-0": "title", "column-1": "content", "column-2": ""}

    read_again = post(desk, f"{place}configure", format="", **chosen)
    post(desk, f"{place}start")
    table.seek(0)
    next_time = post(desk, "import/", files=[table])

    with acting_as(desk.world.person):
        memory = Memory.objects.get(bank=desk.world.bank)
    assert (memory.title, memory.content, memory.tags) == ("Kit", "Lives in Ayr.", [])
    for page in (read_again, next_time):
        assert [column.target for column in page.context["job"].columns] == ["title", "content", ""]


def test_a_long_import_shows_its_progress_and_can_be_stopped(desk: Desk) -> None:
    lines = "\n".join(f"Crate {n} weighs {n * 2} kilos." for n in range(600)).encode()
    page = post(desk, "import/", files=[SimpleUploadedFile("long.txt", lines)])
    place = f"import/{page.context['job'].id}/"

    running = post(desk, f"{place}start").content.decode()
    part = desk.client.get(desk.url(place), headers={"HX-Request": "true"}).content.decode()
    stopped = post(desk, f"{place}cancel")
    do_jobs(desk.world)

    assert "live:import from:body" in running
    assert "<html" not in part
    assert "0 of 600" in part
    assert stopped.context["job"].status == "cancelled"
    assert texts(desk) == []


def test_what_was_not_taken_is_a_table_to_download(desk: Desk) -> None:
    place = read(desk, "Ada runs.\n" + "x" * 10_001)

    answer = desk.client.get(desk.url(f"{place}errors.csv"))

    told = b"".join(answer).decode()
    assert answer["Content-Type"] == "text/csv"
    assert "10,000" in told


def test_lines_are_filtered_by_fate_and_paged(desk: Desk) -> None:
    values = ", ".join(["7"] * 60 + ['"Ada runs."'])
    place = read(desk, f"[{values}]")

    first = desk.client.get(desk.url(f"{place}?outcome=refused"))
    second = desk.client.get(first.context["older_url"])
    waiting = desk.client.get(desk.url(f"{place}?outcome=waiting"))

    assert (len(first.context["lines"]), len(second.context["lines"])) == (50, 10)
    assert [line.text for line in waiting.context["lines"]] == ["Ada runs."]


def test_a_list_of_many_imports_costs_what_a_short_one_costs(desk: Desk) -> None:
    read(desk, LINES)
    few = _statements(desk, "import/")
    for _ in range(8):
        importing.run_import(desk.world.person, "main", "Ada runs.")

    assert _statements(desk, "import/") == few


def test_a_long_report_costs_what_a_short_one_costs(desk: Desk) -> None:
    short, long = read(desk, "Ada runs."), read(desk, "\n".join(f"Fact {n}." for n in range(400)))

    assert _statements(desk, short) == _statements(desk, long)


def test_a_viewer_sees_imports_and_starts_none(desk: Desk) -> None:
    place = read(desk, LINES)
    with acting_as(desk.world.person):
        Membership.objects.filter(organization_id=desk.world.organization.id).update(role="viewer")

    page = desk.client.get(desk.url(place)).content.decode()
    refused = desk.client.post(desk.url(f"{place}start"))
    pasted = desk.client.post(desk.url("import/"), {"lines": LINES})

    assert "See what would happen" not in page
    assert (refused.status_code, pasted.status_code) == (403, 403)
    assert texts(desk) == []


def test_an_import_that_its_worker_left_can_go_on(desk: Desk) -> None:
    place = read(desk, LINES)
    with acting_as(desk.world.person):
        job = ImportJob.objects.get(bank=desk.world.bank)
        ImportJob.objects.filter(bank=desk.world.bank, id=job.id).update(
            status="checking", updated_at="2026-01-01T00:00:00Z"
        )

    page = desk.client.get(desk.url(place)).content.decode()
    after = post(desk, f"{place}resume")

    assert "Go on" in page
    assert after.context["job"].status == "checked"


def test_a_document_waits_for_an_agent_until_it_is_read(desk: Desk) -> None:
    """D8: kept as an appendix file, queued by its path, and not twice."""
    for _ in range(2):
        page = post(desk, "import/documents", documents=[SimpleUploadedFile("plan.md", b"# Plan")])

    with acting_as(desk.world.person):
        open_ones = PendingDocument.objects.filter(bank=desk.world.bank, closed_at=None)
        paths = [document.path for document in open_ones]
        kept = File.objects.filter(bank=desk.world.bank).count()
    closed = post(desk, "import/documents/close", path="documents/plan.md")

    assert (paths, kept) == (["documents/plan.md"], 1)
    assert "documents/plan.md" in page.content.decode()
    assert [row.closed_at is None for row, _ in page.context["documents"]] == [True]
    assert [row.closed_at is None for row, _ in closed.context["documents"]] == [False]


def test_of_several_documents_none_waits_where_one_is_refused(
    desk: Desk, settings: Settings
) -> None:
    settings.FILES_QUOTA_BYTES = 100
    given = [SimpleUploadedFile("plan.md", b"# Plan"), SimpleUploadedFile("big.md", b"x" * 99)]

    page = post(desk, "import/documents", documents=given)

    with acting_as(desk.world.person):
        waiting = PendingDocument.objects.filter(bank=desk.world.bank).count()
        kept = File.objects.filter(bank=desk.world.bank).count()
    assert (waiting, kept) == (0, 0)
    assert "big.md: " in page.content.decode()


@pytest.mark.parametrize("kind", ["jsonl", "csv", "markdown"])
def test_a_bank_is_taken_away_as_a_file(
    desk: Desk, remember: Callable[..., Memory], kind: str
) -> None:
    """F7"""
    remember("The office closes at six.")

    answer = desk.client.get(desk.url(f"export/{kind}"))

    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    assert int(answer["Content-Length"]) > 50


def test_a_stranger_reaches_no_line_of_an_import(desk: Desk, stranger: Any) -> None:
    job = importing.receive(
        stranger.person, "main", [importing.Upload(name="a", chunks=iter([b"Theirs."]))]
    )

    for path in ("", "errors.csv"):
        assert desk.client.get(desk.url(f"import/{job.id}/{path}")).status_code == 404
    for action in ("check", "start", "cancel", "resume", "configure", "undo"):
        assert desk.client.post(desk.url(f"import/{job.id}/{action}")).status_code == 404
    with acting_as(stranger.person):
        assert ImportLine.objects.get(bank=stranger.bank, import_id=job.id).outcome == "waiting"


def test_nobody_signed_in_exports_nothing(desk: Desk) -> None:
    assert Client().get(desk.url("export/jsonl")).status_code == 302


def _statements(desk: Desk, path: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert desk.client.get(desk.url(path)).status_code == 200
    return len(seen)


def test_an_import_above_the_cap_says_so_and_offers_days(desk: Desk) -> None:
    """E10: what fits is said before anything is stored, and the rest goes on by itself."""
    with acting_as(desk.world.person):
        Organization.objects.filter(id=desk.world.organization.id).update(daily_operation_cap=10)
    place = read(desk, "\n".join(f"Shelf {n} holds {n * 3} boxes." for n in range(20)))

    before = desk.client.get(desk.url(place))
    begun = post(desk, f"{place}start-over-days")

    shown = before.content.decode()
    pace = before.context["pace"]
    assert (pace.lines, pace.today, pace.days, pace.fits) == (20, 8, 3, False)
    assert "more than today’s cap has room for" in shown
    assert 'id="import-start"' not in shown
    assert (begun.context["job"].status, begun.context["job"].stored) == ("paused", 8)
    assert begun.context["job"].goes_on_at is not None
    assert "it goes on by itself" in begun.content.decode()
    assert len(texts(desk)) == 8
