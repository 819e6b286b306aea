from __future__ import annotations

from collections.abc import Callable

from memory_app.models import Memory
from tests.dashboard.conftest import Desk

LINES = "1. The office closes at six.\n2. “Lunch is at noon.”\n3. The office  closes at SIX.\n"


def test_a_preview_stores_nothing(desk: Desk) -> None:
    page = desk.client.post(desk.url("import/"), {"step": "preview", "lines": LINES})

    assert [line.text for line in page.context["preview"].lines[:2]] == [
        "The office closes at six.",
        "Lunch is at noon.",
    ]
    assert (
        "Nothing is remembered here yet" in desk.client.get(desk.url("memories/")).content.decode()
    )


def test_every_line_says_what_became_of_it(desk: Desk, remember: Callable[..., Memory]) -> None:
    """E9: exact repeats are merged as they land, and every line's fate is reported."""
    remember("Lunch is at noon.")

    page = desk.client.post(desk.url("import/"), {"step": "run", "lines": LINES})

    labels = [(line.number, line.label) for line in page.context["report"].lines]
    assert labels == [(1, "new"), (2, "known already"), (3, "known already")]


def test_an_import_is_undone_as_a_whole(desk: Desk) -> None:
    page = desk.client.post(desk.url("import/"), {"step": "run", "lines": LINES})

    desk.client.post(page.context["report"].undo_url)

    assert "The office closes" not in desk.client.get(desk.url("memories/")).content.decode()
    assert "The office closes" in desk.client.get(desk.url("memories/?state=bin")).content.decode()


def test_more_than_five_hundred_are_refused_and_the_text_stays(desk: Desk) -> None:
    """E9: up to 500 a time."""
    lines = "\n".join(f"Statement number {n}" for n in range(501))

    page = desk.client.post(desk.url("import/"), {"step": "run", "lines": lines})

    assert page.status_code == 422
    assert "500" in page.content.decode()
    assert "Statement number 500" in page.content.decode()


def test_broken_json_says_where(desk: Desk) -> None:
    page = desk.client.post(desk.url("import/"), {"step": "preview", "lines": '["a",\n"b"'})

    assert page.status_code == 422
    assert "line 2" in page.content.decode()
