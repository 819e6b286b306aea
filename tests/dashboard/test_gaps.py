from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.recall.values import Query
from memory_app.services import gaps, recalling
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]
QUESTION = "How long do we keep invoices?"


def ask(desk: Desk, text: str = QUESTION) -> str:
    """As the agent, in vain; the key of the open group."""
    recalling.search(desk.world.caller, "main", Query(text=text, min_score=1.0))
    return gaps.list_open(desk.world.person, "main")[0].key


def test_a_question_in_vain_is_listed_with_who_asked_and_how_often(desk: Desk) -> None:
    ask(desk)
    ask(desk, "how long do we KEEP invoices")

    page = desk.client.get(desk.url("gaps/"))

    (gap,) = page.context["gaps"]
    assert (gap.number, gap.askers, gap.others) == (2, "Coder", ())
    assert "recalls/rec_" in gap.recall_url


def test_an_answer_becomes_a_memory_closes_the_group_and_can_be_undone(desk: Desk) -> None:
    key = ask(desk)

    page = desk.client.post(
        desk.url(f"gaps/{key}/answer"),
        {"content": "Invoices are kept for ten years.", "tags": "finance, rules"},
        follow=True,
    )

    with acting_as(desk.world.person):
        memory = Memory.objects.get(bank=desk.world.bank)
    assert memory.content == "Invoices are kept for ten years."
    assert memory.tags == ["finance", "rules"]
    assert page.context["gaps"] == []
    answered = desk.client.get(desk.url("gaps/?status=answered")).context["decisions"]
    assert f"memory={memory.id}" in answered[0].test_url
    assert answered[0].undo_url in page.content.decode()
    desk.client.post(answered[0].undo_url)
    assert len(desk.client.get(desk.url("gaps/")).context["gaps"]) == 1


def test_an_answer_that_is_refused_keeps_what_was_typed(desk: Desk) -> None:
    key = ask(desk)
    long = "x" * 10_001

    page = desk.client.post(desk.url(f"gaps/{key}/answer"), {"content": long})

    assert page.status_code == 422
    assert long in page.content.decode()
    assert page.context["answering"] == key


def test_a_group_is_snoozed_or_dismissed_with_an_undo(desk: Desk) -> None:
    key = ask(desk)

    snoozed = desk.client.post(desk.url(f"gaps/{key}/snooze"), {"days": "7"}, follow=True)
    undo = desk.client.get(desk.url("gaps/?status=snoozed")).context["decisions"][0].undo_url
    desk.client.post(undo)
    dismissed = desk.client.post(desk.url(f"gaps/{key}/dismiss"), follow=True)

    assert "Snoozed for 7 days." in snoozed.content.decode()
    assert "Dismissed." in dismissed.content.decode()
    assert dismissed.context["gaps"] == []


def test_a_wrong_floor_or_number_of_days_is_told(desk: Desk) -> None:
    key = ask(desk)

    assert desk.client.get(desk.url("gaps/?floor=high")).status_code == 400
    page = desk.client.post(desk.url(f"gaps/{key}/snooze"), {"days": "0"}, follow=True)
    assert "days" in page.content.decode()
    assert len(gaps.list_open(desk.world.person, "main")) == 1


def test_an_empty_list_leads_on(desk: Desk) -> None:
    page = desk.client.get(desk.url("gaps/")).content.decode()

    assert desk.url("lab/") in page
    assert desk.url("connect/") in page


def test_a_viewer_sees_the_list_and_no_forms(desk: Desk) -> None:
    key = ask(desk)
    with acting_as(desk.world.person):
        desk.world.owner.memberships.update(role="viewer")
    viewer = Client()
    viewer.force_login(desk.world.owner, backend="django.contrib.auth.backends.ModelBackend")

    page = viewer.get(desk.url("gaps/")).content.decode()
    answer = viewer.post(desk.url(f"gaps/{key}/answer"), {"content": "Ten years."})

    assert QUESTION in page
    assert "/answer" not in page
    assert answer.status_code == 403
    with acting_as(desk.world.person):
        assert not Memory.objects.filter(bank=desk.world.bank).exists()


def test_the_list_costs_the_same_for_one_question_and_for_sixty(desk: Desk) -> None:
    ask(desk)
    few = statements(desk)
    for number in range(60):
        recalling.search(desk.world.caller, "main", Query(text=f"topic{number} of x{number * 7}"))

    assert statements(desk) == few


def statements(desk: Desk) -> int:
    desk.client.get(desk.url("gaps/"))
    with CaptureQueriesContext(connection) as counted:
        desk.client.get(desk.url("gaps/"))
    return len(counted)
