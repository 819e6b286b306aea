"""Appendix files at the dashboard (A4): the same services as over REST and MCP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from accounts.models import Membership
from accounts.tenancy import acting_as
from memory_app.models import File, LedgerEntry, Memory
from memory_app.services.files import store_file
from tests.dashboard.conftest import Desk
from tests.dashboard.test_undo_access import undo

Remember = Callable[..., Memory]


def sent(name: str, data: bytes = b"Minutes of May.") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def drop(desk: Desk, *files: SimpleUploadedFile, place: str = "files/", **data: Any) -> Any:
    return desk.client.post(desk.url(place), {"files": list(files), **data}, follow=True)


def kept(desk: Desk) -> list[tuple[str, int]]:
    with acting_as(desk.world.person):
        rows = File.objects.filter(bank=desk.world.bank).order_by("path", "version")
        return [(row.path, row.version) for row in rows]


def stored(desk: Desk, path: str, data: bytes = b"Minutes of May.", **said: Any) -> File:
    return store_file(desk.world.person, "main", path=path, chunks=iter([data]), **said).file


def test_dropped_files_are_stored_in_their_folder_with_a_description(desk: Desk) -> None:
    """A4"""
    page = drop(desk, sent("may.md"), sent("june.md"), folder="/minutes/", description="Minutes")

    assert kept(desk) == [("minutes/june.md", 1), ("minutes/may.md", 1)]
    assert [(row.path, row.description) for row in page.context["files"]] == [
        ("minutes/june.md", "Minutes"),
        ("minutes/may.md", "Minutes"),
    ]
    assert "2 stored." in page.content.decode()
    with acting_as(desk.world.person):
        assert LedgerEntry.objects.filter(bank=desk.world.bank, operation="store_file").count() == 2


def test_the_same_path_is_a_new_version_and_the_same_bytes_are_known(desk: Desk) -> None:
    drop(desk, sent("may.md"))
    known = drop(desk, sent("may.md"))
    again = drop(desk, sent("may.md", b"Corrected."))

    assert kept(desk) == [("may.md", 1), ("may.md", 2)]
    assert "1 known already." in known.content.decode()
    assert "1 stored as a new version." in again.content.decode()


def test_a_version_may_be_added_under_any_name_and_old_ones_are_read(desk: Desk) -> None:
    first = stored(desk, "minutes/may.md")

    page = drop(desk, sent("draft 7.md", b"Corrected."), place=f"files/{first.id}/")
    old = desk.client.get(desk.url(f"files/{first.id}/content"))

    assert kept(desk) == [("minutes/may.md", 1), ("minutes/may.md", 2)]
    assert [row.version for row in page.context["versions"]] == [2, 1]
    assert (page.context["file"].version, page.context["file"].current) == (2, True)
    assert b"".join(old.streaming_content) == b"Minutes of May."


def test_a_page_is_handed_out_as_an_attachment_and_never_shown(desk: Desk) -> None:
    """Nothing that a file holds runs in a browser."""
    page = stored(desk, "evil.html", b"<!doctype html><script>alert(1)</script>")

    answer = desk.client.get(desk.url(f"files/{page.id}/content"))

    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "no-store" in answer.headers["Cache-Control"]


def test_files_are_found_by_name_description_and_tag(desk: Desk) -> None:
    stored(desk, "minutes/may.md", description="Board meeting", tags=["board"])
    stored(desk, "floor plan.pdf", b"%PDF-1.7")

    def found(words: str) -> list[str]:
        page = desk.client.get(desk.url("files/"), {"q": words})
        return [row.name for row in page.context["files"]]

    assert (found("may"), found("MEETING"), found("board")) == (["may.md"],) * 3
    assert (found("plan"), found("nothing")) == (["floor plan.pdf"], [])
    assert (
        "No file has these words"
        in desk.client.get(desk.url("files/"), {"q": "nothing"}).content.decode()
    )


def test_a_file_shows_the_memories_that_refer_to_it(desk: Desk, remember: Remember) -> None:
    """A4: referenced by path, as the source or in the text."""
    file = stored(desk, "minutes/may.md")
    remember("The budget is frozen.", source="minutes/may.md")
    remember("Details stand in minutes/may.md, page 2.")
    remember("The minutes are kept.")

    page = desk.client.get(desk.url(f"files/{file.id}/"))

    assert [row.snippet for row in page.context["rows"]] == [
        "Details stand in minutes/may.md, page 2.",
        "The budget is frozen.",
    ]


def test_deleting_takes_all_versions_and_says_how_many(desk: Desk, remember: Remember) -> None:
    remember("The budget is frozen.", source="may.md")
    stored(desk, "may.md")
    second = stored(desk, "may.md", b"Corrected.")

    page = desk.client.post(desk.url(f"files/{second.id}/delete"), follow=True)

    assert kept(desk) == []
    assert "may.md is deleted, all 2 versions of it." in page.content.decode()
    assert "No files yet" in page.content.decode()
    with acting_as(desk.world.person):
        assert Memory.objects.filter(bank=desk.world.bank, deleted_at=None).count() == 1


@pytest.mark.parametrize(
    ("folder", "field"), [("../out", "path"), ("a\\b", "path"), ("x" * 600, "path")]
)
def test_a_hostile_folder_is_refused_by_name(desk: Desk, folder: str, field: str) -> None:
    page = drop(desk, sent("may.md"), folder=folder)

    assert (page.status_code, page.context["problem"].field) == (422, field)
    assert kept(desk) == []


def test_no_file_and_no_room_are_refused_with_a_way_out(desk: Desk, settings: Settings) -> None:
    none = desk.client.post(desk.url("files/"), {"folder": "a"})
    settings.FILES_QUOTA_BYTES = 10
    full = drop(desk, sent("may.md"))

    assert (none.status_code, none.context["problem"].field) == (422, "files")
    assert (full.status_code, full.context["problem"].code) == (422, "quota_reached")
    assert kept(desk) == []


def test_who_may_only_read_sees_no_way_to_store_or_delete(desk: Desk) -> None:
    file = stored(desk, "may.md")
    with acting_as(desk.world.person):
        Membership.objects.filter(organization=desk.world.organization).update(role="viewer")

    listed = desk.client.get(desk.url("files/"))
    asked = [drop(desk, sent("june.md")), drop(desk, sent("x"), place=f"files/{file.id}/")]
    deleted = desk.client.post(desk.url(f"files/{file.id}/delete"))

    assert 'type="file"' not in listed.content.decode()
    assert [page.status_code for page in (*asked, deleted)] == [403, 403, 403]
    assert kept(desk) == [("may.md", 1)]


def test_the_list_costs_the_same_for_two_files_and_for_twenty(desk: Desk) -> None:
    numbers = []
    for more in (2, 20):
        for number in range(more):
            stored(desk, f"{more}/{number}.txt", f"{more} {number}".encode())
        desk.client.get(desk.url("files/"))
        with CaptureQueriesContext(connection) as queries:
            desk.client.get(desk.url("files/"))
        numbers.append(len(queries))

    assert numbers[0] == numbers[1]


def test_of_several_files_none_is_stored_where_one_is_refused(
    desk: Desk, settings: Settings
) -> None:
    """The first is not stored without a word: the page names the one that was refused."""
    settings.FILES_QUOTA_BYTES = 100

    page = drop(desk, sent("may.md"), sent("june.md", b"x" * 90), sent("july.md"))

    assert page.status_code == 422
    assert kept(desk) == []
    told = page.content.decode()
    assert "june.md: " in told
    assert "None of the 3 files was stored." in told


def test_a_file_goes_to_the_bin_and_back_as_often_as_one_likes(desk: Desk) -> None:
    stored(desk, "may.md")
    second = stored(desk, "may.md", b"Corrected.")

    page = desk.client.post(desk.url(f"files/{second.id}/bin"), follow=True)
    listed = [row.path for row in page.context["binned"]]
    back = desk.client.post(undo(page), follow=True)
    again = desk.client.post(undo(back), follow=True)
    desk.client.post(undo(again))

    assert "in the bin for 30 days, all 2 versions" in page.content.decode()
    assert (listed, page.context["files"]) == (["may.md"], [])
    assert "may.md is back." in back.content.decode()
    assert kept(desk) == [("may.md", 1), ("may.md", 2)]
    assert [row.path for row in desk.client.get(desk.url("files/")).context["files"]] == ["may.md"]


def test_a_restore_over_another_file_is_refused_on_the_page(desk: Desk) -> None:
    old = stored(desk, "may.md")
    page = desk.client.post(desk.url(f"files/{old.id}/bin"), follow=True)
    stored(desk, "may.md", b"Another.")

    refused = desk.client.post(
        undo(page), {"next": desk.url("files/")}, follow=True
    ).content.decode()

    assert "Another file lies under this path by now." in refused
