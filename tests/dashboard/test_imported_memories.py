"""The memories of one import in the list of memories."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_app.domain.ids import new_id
from memory_app.models import ImportJob, Memory
from memory_app.services import importing, saved_views
from memory_app.services.importing import Upload
from tests.dashboard.conftest import Desk
from tests.factories import make_world

Remember = Callable[..., Memory]


def imported(desk: Desk, *texts: str, name: str = "notes.txt") -> ImportJob:
    data = "\n".join(texts).encode()
    job = importing.receive(desk.world.person, "main", [Upload(name=name, chunks=iter([data]))])
    return importing.start(desk.world.person, "main", job.id)


def listed(desk: Desk, query: str) -> list[str]:
    page = desk.client.get(desk.url(f"memories/?{query}"))
    assert page.status_code == 200
    return [row.snippet for row in page.context["rows"]]


def test_an_import_links_to_exactly_its_memories(desk: Desk, remember: Remember) -> None:
    """F7"""
    remember("Typed by hand.")
    imported(desk, "Another import.")
    job = imported(desk, "The hall is cold.", "The shed is warm.")

    page = desk.client.get(desk.url(f"import/{job.id}/"))
    link = page.context["memories_url"]

    assert link in page.content.decode()
    assert listed(desk, f"import={job.id}") == ["The shed is warm.", "The hall is cold."]
    assert link.endswith(f"?import={job.id}")


def test_the_filter_is_a_chip_with_the_name_of_the_import(desk: Desk) -> None:
    job = imported(desk, "The hall is cold.", name="halls.txt")

    page = desk.client.get(desk.url(f"memories/?import={job.id}"))

    assert [(chip.label, chip.value) for chip in page.context["applied"]] == [
        ("import", "halls.txt")
    ]
    assert f'name="import" value="{job.id}"' in page.content.decode()


def test_words_are_looked_for_among_the_import_alone(desk: Desk, remember: Remember) -> None:
    remember("The hall is loud.")
    job = imported(desk, "The hall is cold.", "The shed is warm.")

    assert listed(desk, f"import={job.id}&q=hall") == ["The hall is cold."]


def test_words_are_looked_for_in_the_session_alone(desk: Desk, remember: Remember) -> None:
    remember("The hall is loud.", session="one")
    remember("The hall is cold.", session="two")

    assert listed(desk, "session=two&q=hall") == ["The hall is cold."]


def test_an_import_of_another_organization_is_as_unknown_as_none(desk: Desk) -> None:
    theirs = make_world()
    data = iter([b"The vault is open."])
    job = importing.receive(theirs.person, "main", [Upload(name="a.txt", chunks=data)])

    asked = [
        desk.client.get(desk.url(f"memories/?import={one}")) for one in (job.id, new_id("imp"))
    ]

    assert [page.status_code for page in asked] == [404, 404]


def test_what_is_no_import_is_refused_by_name(desk: Desk) -> None:
    page = desk.client.get(desk.url("memories/?import=everything"))

    assert page.status_code == 422
    assert "import" in page.context["problem"].message


def test_the_list_of_an_import_costs_the_same_for_two_and_for_many(desk: Desk) -> None:
    few = imported(desk, "The hall is cold.", "The shed is warm.")
    many = imported(desk, *(f"Shelf {n} in hall {n % 7} holds {n * 3} boxes." for n in range(40)))

    # The first page of a session also notes the session.
    listed(desk, "")
    numbers = []
    for job in (few, many):
        with CaptureQueriesContext(connection) as queries:
            listed(desk, f"import={job.id}")
        numbers.append(len(queries))

    assert numbers[0] == numbers[1]


def test_a_saved_view_keeps_the_import(desk: Desk) -> None:
    job = imported(desk, "The hall is cold.")

    view = saved_views.save_view(
        desk.world.person, "main", name="Halls", query=f"?import={job.id}&page=3"
    )

    assert view.query == f"import={job.id}"
