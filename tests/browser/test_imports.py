"""Importing with a browser: files, the steps, live progress, hostile names."""

from __future__ import annotations

from collections.abc import Callable

from memory_app.services import importing
from memory_app.services.importing import Upload
from tests.browser.conftest import Visit
from tests.factories import make_world
from tests.jobs import do_jobs

TABLE = b"Note,Labels\nKit lives in Ayr.,home\nAda runs.,sport\n"
HOSTILE = '<img src=x onerror="alert(1)">'


def test_a_file_is_chosen_looked_at_imported_and_undone(visit: Callable[..., Visit]) -> None:
    """E9"""
    here = visit("narrow", scheme="dark")
    here.open("import/")
    page = here.page

    page.set_input_files("#files", {"name": "team.csv", "mimeType": "text/csv", "buffer": TABLE})
    label = page.inner_text("[data-drop-label] >> nth=0")
    page.get_by_role("button", name="Read it").click()
    page.get_by_role("button", name="See what would happen").click()
    looked = page.inner_text("main")
    page.get_by_role("button", name="Import", exact=True).click()
    done = page.inner_text("main")
    page.get_by_role("button", name="Undo import").click()
    page.get_by_text("This import is undone.").wait_for()

    assert label == "team.csv"
    assert "2 of 2 would be new." in looked
    assert "2 memories imported." in done
    assert here.violations() == []
    assert here.said == []


def test_progress_shows_without_a_reload(visit: Callable[..., Visit]) -> None:
    world = make_world(tier="full")
    lines = "\n".join(f"Crate {n} weighs {n * 2} kilos." for n in range(501)).encode()
    job = importing.receive(world.person, "main", [Upload(name="long.txt", chunks=iter([lines]))])
    importing.start(world.person, "main", job.id)
    here = visit(world=world)
    here.open(f"import/{job.id}/")
    before = here.page.inner_text("main")

    do_jobs(world)

    here.page.get_by_text("501 memories imported.").wait_for()
    assert "0 of 501" in before
    assert here.said == []


def test_no_name_or_column_of_a_file_runs(visit: Callable[..., Visit]) -> None:
    world = make_world(tier="full")
    table = f'text,"{HOSTILE.replace(chr(34), chr(34) * 2)}"\n{HOSTILE},{HOSTILE}\n,\n'.encode()
    upload = Upload(name=f"{HOSTILE}.csv", chunks=iter([table]))
    job = importing.receive(world.person, "main", [upload])
    here = visit(world=world)

    for path in ("import/", f"import/{job.id}/"):
        here.open(path)
        assert here.page.query_selector("main img") is None
        assert HOSTILE in here.page.inner_text("main")

    assert here.said == []
