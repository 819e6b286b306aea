from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.queries.agents import visible_agents
from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import REFUSALS, back, go, show
from dashboard.forms.expecting import Expected, read_expected
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.memory_tests import present_runs, present_tests
from memory_app.domain.errors import InvalidArgument, NotFound, ProductError
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.queries.expectations import find_test, list_tests, runs_of
from memory_app.queries.memories import find, find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import memory_tests, test_runs

LIST = "dashboard/tests/index.html"
FORM = "dashboard/tests/new.html"
ONE = "dashboard/tests/test.html"
_TABS = (("", "All"), ("red", "Red"), ("green", "Green"), ("new", "Not run yet"))


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """The bank's tests, newest first. About ten statements."""
    given = place.request.GET
    status = given.get("status", "")
    status = status if status in {value for value, _ in _TABS} else ""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = list_tests(sidebar.access, status=status, after=given.get("after"))
        memories = find_many(sidebar.access, [test.memory_id for test in page.tests])
        names = names_of(place.actor, {test.agent for test in page.tests if test.agent})
    base = place.url("tests")
    context = {
        "heading": "Memory tests",
        "section": "tests",
        "tests": present_tests(place, page.tests, memories, names),
        "tabs": filters.tabs(base, {}, "status", _TABS, current=status),
        "status": status,
        "red": sidebar.red_tests,
        "run_all_url": place.url("tests-run"),
        "new_url": place.url("test-new"),
        "lab_url": place.url("lab"),
        "tests_url": base,
        "older_url": filters.address(base, {"status": status, "after": page.next_after or ""})
        if page.next_after
        else "",
        "newer_url": filters.address(base, {"status": status}) if given.get("after") else "",
    }
    return show(place, sidebar, LIST, context, part="list")


@require_http_methods(["GET", "POST"])
@screen
def new(place: Place) -> HttpResponse:
    """The form, filled in by the lab, a receipt, a gap or a memory; saved, the test runs at once."""
    if place.request.method == "GET":
        return _form(place, read_expected(place.request.GET))
    expected = read_expected(place.request.POST)
    try:
        test = memory_tests.create(
            place.actor,
            place.bank,
            query=expected.query,
            memory=expected.memory,
            must_appear=not expected.never,
            within=expected.place,
            agent=expected.agent,
            note=expected.note,
            options=expected.options,
        )
    except (*REFUSALS, NotFound) as error:
        return _form(place, expected, problem=error)
    ran = test_runs.run_one(place.actor, place.bank, test.id)
    text = f"The test is {ran.status}. It runs after imports, merges and each night."
    return go(
        place.request, place.url("test", test.id), text, undo=place.url("test-delete", test.id)
    )


@require_GET
@screen
def one(place: Place, test: str) -> HttpResponse:
    """One test with its newest runs and why it is red. About ten statements."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = find_test(sidebar.access, test)
        runs = runs_of(sidebar.access, found)
        memories = find_many(sidebar.access, [found.memory_id])
        successor = _successor(sidebar.access, memories.get(found.memory_id))
        names = names_of(place.actor, {found.created_by, *([found.agent] * bool(found.agent))})
    (card,) = present_tests(place, [found], memories, names)
    context = {
        "heading": "Memory test",
        "section": "tests",
        "test": card,
        "runs": present_runs(runs),
        "author": names[found.created_by],
        "created_at": found.created_at,
        "deleted_at": found.deleted_at,
        "successor": successor,
        "tests_url": place.url("tests"),
    }
    return show(place, sidebar, ONE, context)


@require_POST
@screen
def run(place: Place, test: str) -> HttpResponse:
    ran = test_runs.run_one(place.actor, place.bank, test)
    url = back(place.request, place.url("test", test))
    return go(place.request, url, f"The test is {ran.status}. {ran.last_reason}")


@require_POST
@screen
def run_all(place: Place) -> HttpResponse:
    tally = test_runs.run_all(place.actor, place.bank)
    text = f"{tally.green} green, {tally.red} red."
    return go(place.request, place.url("tests"), text)


@require_POST
@screen
def follow(place: Place, test: str) -> HttpResponse:
    """Expect the memory that replaced the one of the test, and see at once whether it holds.

    The toast's undo names the memory of before in its address.
    """
    given = place.request.POST.get("memory") or place.request.GET.get("memory", "")
    with acting_as(place.actor):
        before = find_test(resolve(place.actor, place.bank), test).memory_id
    memory_tests.change(place.actor, place.bank, test, {"memory": given})
    ran = test_runs.run_one(place.actor, place.bank, test)
    undo = filters.address(place.url("test-follow", test), {"memory": before})
    return go(place.request, place.url("test", test), f"The test is {ran.status}.", undo=undo)


@require_POST
@screen
def delete(place: Place, test: str) -> HttpResponse:
    memory_tests.delete(place.actor, place.bank, test)
    undo_url = place.url("test-restore", test)
    return go(place.request, place.url("tests"), "The test is deleted.", undo=undo_url)


@require_POST
@screen
def restore(place: Place, test: str) -> HttpResponse:
    memory_tests.restore(place.actor, place.bank, test)
    undo = place.url("test-delete", test)
    return go(place.request, place.url("test", test), "The test is back.", undo=undo)


def _form(place: Place, expected: Expected, *, problem: ProductError | None = None) -> HttpResponse:
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        agents = list(visible_agents(place.actor)[:200])
        chosen: Memory | None = None
        if expected.memory:
            try:
                chosen = find(sidebar.access, expected.memory)
            except (NotFound, InvalidArgument) as error:
                problem = problem or error
    context: dict[str, Any] = {
        "heading": "New memory test",
        "section": "tests",
        "expected": expected,
        "chosen": chosen,
        "agents": agents,
        "problem": problem,
        "within_most": memory_tests.WITHIN_MOST,
        "note_limit": memory_tests.NOTE_LIMIT,
        "tests_url": place.url("tests"),
        "new_url": place.url("test-new"),
    }
    return show(place, sidebar, FORM, context, status=422 if problem else 200)


def _successor(access: Any, memory: Memory | None) -> Memory | None:
    if memory is None or memory.superseded_by is None:
        return None
    return find_many(access, [memory.superseded_by]).get(memory.superseded_by)
