from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import parse_draft
from memory_app.models import Memory, MemoryTest
from memory_app.services import memories, memory_tests, test_runs
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]
QUESTION = "When is the staging database reset?"


@pytest.fixture
def monday(remember: Remember) -> Memory:
    return remember("The staging database is reset on Monday.", tags=["ops"])


def make(desk: Desk, memory: Memory, **values: object) -> MemoryTest:
    given = {"query": QUESTION, "memory": memory.id} | values
    return memory_tests.create(desk.world.person, "main", **given)  # type: ignore[arg-type]


def test_a_lab_run_becomes_a_test_with_one_click(desk: Desk, monday: Memory) -> None:
    """Made from a recall with one click, with every condition of the question."""
    asked = {"query": QUESTION, "tags": "ops", "agent": desk.world.agent.id, "limit": "3"}
    (hit,) = desk.client.get(desk.url(f"lab/?{urlencode(asked)}")).context["hits"]

    form = desk.client.get(hit.test_url).context["expected"]
    values = {"query": form.query, "memory": form.memory, "within": form.within, "never": ""}
    values |= {"agent": form.agent, **form.given}
    page = desk.client.post(desk.url("tests/new"), values, follow=True)

    test = page.context["test"]
    assert (test.status, test.says, test.who) == ("green", "must be among the first 3", "Coder")
    assert test.conditions == (("tags", "ops"),)
    assert "The test is green." in page.content.decode()


def test_a_red_test_shows_why_a_badge_and_the_way_on(desk: Desk, monday: Memory) -> None:
    test = make(desk, monday)
    friday = memories.save(
        desk.world.person, "main", parse_draft(content="The staging database is reset on Friday.")
    ).memory
    memories.retire(desk.world.person, "main", monday.id, superseded_by=friday.id)

    desk.client.post(desk.url(f"tests/{test.id}/run"))
    listed = desk.client.get(desk.url("tests/"))
    page = desk.client.get(desk.url(f"tests/{test.id}/"))
    badge = next(link for link in listed.context["shell"].bank_links if link.key == "tests")
    followed = desk.client.post(
        desk.url(f"tests/{test.id}/follow"), {"memory": friday.id}, follow=True
    )

    assert (badge.count, badge.alarm) == (1, True)
    assert "It is retired" in listed.content.decode()
    assert page.context["successor"].id == friday.id
    assert page.context["runs"][0].stage == "Retired"
    assert followed.context["test"].status == "green"


def test_a_test_is_deleted_and_comes_back(desk: Desk, monday: Memory) -> None:
    test = make(desk, monday)

    gone = desk.client.post(desk.url(f"tests/{test.id}/delete"), follow=True)
    desk.client.post(desk.url(f"tests/{test.id}/restore"))

    assert gone.context["tests"] == []
    assert desk.url(f"tests/{test.id}/restore") in gone.content.decode()
    assert len(desk.client.get(desk.url("tests/")).context["tests"]) == 1


def test_all_are_run_at_once(desk: Desk, monday: Memory) -> None:
    make(desk, monday)
    make(desk, monday, must_appear=False)

    page = desk.client.post(desk.url("tests/run"), follow=True)

    assert "1 green, 1 red." in page.content.decode()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"query": ""}, "query"),
        ({"within": "0"}, "within"),
        ({"within": "soon"}, "within"),
        ({"memory": "no-such-memory"}, "no such memory"),
        ({"agent": "nobody"}, "no such agent"),
        ({"min_score": "7"}, "min_score"),
    ],
)
def test_a_wrong_field_is_told_and_the_rest_is_kept(
    desk: Desk, monday: Memory, values: dict[str, str], said: str
) -> None:
    given = {"query": QUESTION, "memory": monday.id, "within": "5", "note": "kept"} | values

    page = desk.client.post(desk.url("tests/new"), given)

    assert page.status_code == 422
    assert said in page.context["problem"].message
    assert page.context["expected"].note == "kept"


def test_an_empty_list_leads_to_the_lab(desk: Desk) -> None:
    assert desk.url("lab/") in desk.client.get(desk.url("tests/")).content.decode()


def test_an_unknown_test_is_not_there(desk: Desk) -> None:
    assert desk.client.get(desk.url(f"tests/{new_id('test')}/")).status_code == 404


def test_a_viewer_reads_and_changes_nothing(desk: Desk, monday: Memory) -> None:
    test = make(desk, monday)
    with acting_as(desk.world.person):
        desk.world.owner.memberships.update(role="viewer")
    viewer = Client()
    viewer.force_login(desk.world.owner, backend="django.contrib.auth.backends.ModelBackend")

    assert viewer.get(desk.url("tests/")).status_code == 200
    for action in ("run", "delete"):
        assert viewer.post(desk.url(f"tests/{test.id}/{action}")).status_code == 403
    assert viewer.post(desk.url("tests/run")).status_code == 403


def test_the_list_costs_the_same_for_one_test_and_for_sixty(desk: Desk, monday: Memory) -> None:
    make(desk, monday, agent=desk.world.agent.id)
    few = statements(desk)
    for within in range(1, 41):
        make(desk, monday, within=within, must_appear=False)
    test_runs.run_all(desk.world.person, "main")

    assert statements(desk) == few


def statements(desk: Desk) -> int:
    desk.client.get(desk.url("tests/"))
    with CaptureQueriesContext(connection) as counted:
        desk.client.get(desk.url("tests/"))
    return len(counted)
