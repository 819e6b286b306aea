from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import LedgerEntry, Link, Memory
from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.factories import World

Remember = Callable[..., Memory]


def test_a_memory_shows_what_it_is_about_and_what_it_states(desk: Desk) -> None:
    draft = Draft(
        content="Ada leads Analytics.",
        session="s-1",
        entities=(EntityDraft(name="Ada", type="person"), EntityDraft(name="Analytics")),
        relations=(RelationDraft(source="Ada", type="leads", target="Analytics"),),
    )
    memory = memories.save(desk.world.caller, "main", draft).memory

    page = desk.client.get(desk.memory_url(memory))
    about = page.context["connections"]

    assert [(one.name, one.how) for one in about.entities] == [
        ("Ada", "new with this memory"),
        ("Analytics", "new with this memory"),
    ]
    assert [(one.source, one.relation, one.target) for one in about.facts] == [
        ("Ada", "leads", "Analytics")
    ]
    assert desk.url("memories/?session=s-1") in page.content.decode()
    assert desk.client.get(about.entities[0].url).status_code == 200


def test_a_link_is_drawn_taken_away_and_drawn_again(desk: Desk, remember: Remember) -> None:
    one, other = remember("The limit is 100."), remember("Bananas are yellow.")
    address = f"https://memory.example{desk.memory_url(other)}"

    desk.client.post(desk.memory_url(one, "link"), {"type": "references", "target": address})
    drawn = _links(desk)
    desk.client.post(desk.url(f"links/{drawn[0].id}/remove"))
    gone = _links(desk)
    desk.client.post(desk.url(f"links/{drawn[0].id}/restore"))

    assert [(link.source_id, link.target_id) for link in drawn] == [(one.id, other.id)]
    assert gone == []
    assert [(link.source_id, link.target_id) for link in _links(desk)] == [(one.id, other.id)]
    with acting_as(desk.world.person):
        entries = LedgerEntry.objects.filter(bank_id=desk.world.bank.id, target=one.id)
        told = list(entries.order_by("seq").values_list("operation", flat=True))
    assert told == ["create", "link", "unlink", "link"]


@pytest.mark.parametrize("target", ["", "mem_none", "nowhere", "\x00"])
def test_a_link_to_nothing_draws_nothing(desk: Desk, remember: Remember, target: str) -> None:
    memory = remember("Alone.")

    answer = desk.client.post(
        desk.memory_url(memory, "link"), {"type": "references", "target": target}
    )

    assert answer.status_code in {302, 404}
    assert _links(desk) == []


def test_a_link_to_a_strangers_memory_is_a_link_to_nothing(
    desk: Desk, remember: Remember, stranger: World
) -> None:
    theirs = memories.save(stranger.person, "main", Draft(content="Theirs.")).memory
    memory = remember("Ours.")

    answer = desk.client.post(
        desk.memory_url(memory, "link"), {"type": "references", "target": theirs.id}
    )

    assert answer.status_code == 404


def test_retiring_is_taken_back_by_its_toast(desk: Desk, remember: Remember) -> None:
    memory = remember("Outdated soon.")

    page = desk.client.post(desk.memory_url(memory, "retire"), follow=True)
    (message,) = page.context["messages"]
    retired = page.context["memory"].status
    back = desk.client.post(message.extra_tags, follow=True)

    assert retired == "retired"
    assert back.context["memory"].status == "active"


def _links(desk: Desk) -> list[Link]:
    with acting_as(desk.world.person):
        return list(Link.objects.filter(bank_id=desk.world.bank.id, type="references", until=None))
