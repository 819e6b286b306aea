"""F4: a decision is remembered. Its loser comes back by no door but a person's hand."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.test import Client

from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Memory, Proposal
from memory_app.services import asking, memories, proposals
from memory_app.services.portability import export_bank, import_bank
from tests.factories import World, make_world
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import rest_of

OLD, NEW = "The limit is 100 requests a minute.", "Nobody limits requests these days."


@pytest.fixture
def decided(world: World) -> World:
    """An agent asked for it, and a person let the new replace the old."""
    old, new = (
        memories.save(world.caller, "main", parse_draft(content=text)).memory for text in (OLD, NEW)
    )
    asked = asking.ask(
        world.caller, "main", wish="replace", memory=old.id, other=new.id, reason="Heard so."
    )
    proposals.decide(world.person, "main", asked.review.proposal.id, "replace")
    return world


def _live(world: World) -> list[str]:
    with acting_as(world.person):
        rows = Memory.objects.filter(bank=world.bank, retired_at=None, deleted_at=None)
        return sorted(rows.values_list("content", flat=True))


def test_an_agent_that_saves_the_loser_again_is_told_so(decided: World) -> None:
    saved = mcp_call(decided, "create_memory", {"content": OLD})

    assert saved.reply["status"] == "known"
    assert saved.reply["memory"]["status"] == "retired"
    assert "people have decided that this no longer holds" in saved.text
    assert _live(decided) == [NEW]


def test_an_import_over_rest_leaves_it_retired(decided: World) -> None:
    answer = rest_of(decided).post("imports", {"text": f"{OLD}\n{NEW}"})

    assert answer.status_code in (200, 201)
    assert _live(decided) == [NEW]


def test_the_import_page_leaves_it_retired(decided: World) -> None:
    client = Client()
    client.force_login(decided.owner, backend="django.contrib.auth.backends.ModelBackend")
    base = f"/o/{decided.organization.slug}/main/import/"

    read = client.post(base, {"lines": OLD})
    client.post(f"{read['Location']}start")
    report = client.get(read["Location"])

    assert report.status_code == 200
    assert _live(decided) == [NEW]


def test_a_restored_export_remembers_the_decision(decided: World) -> None:
    kept = io.BytesIO(b"".join(export_bank(decided.person, "main")))
    elsewhere = make_world(tier="full")
    import_bank(elsewhere.person, "main", kept)

    again = memories.save(elsewhere.caller, "main", parse_draft(content=OLD))

    assert again.status == "known"
    assert _live(elsewhere) == [NEW]


def test_a_person_may_add_it_again(decided: World) -> None:
    by_hand = replace(decided.person, door="dashboard")
    saved = memories.save(by_hand, "main", parse_draft(content=OLD))

    assert saved.status == "revived"
    assert _live(decided) == [OLD]


def test_after_the_decision_is_taken_back_agents_may_save_it(decided: World) -> None:
    (row,) = _decided(decided)
    proposals.undo_decision(decided.person, "main", row)
    memories.retire(decided.person, "main", _id(decided, OLD), reason="by hand")

    assert memories.save(decided.caller, "main", parse_draft(content=OLD)).status == "revived"


def _decided(world: World) -> list[str]:
    with acting_as(world.person):
        rows = Proposal.objects.filter(bank=world.bank, status="accepted")
        return [str(one) for one in rows.values_list("id", flat=True)]


def _id(world: World, content: str) -> str:
    with acting_as(world.person):
        return str(Memory.objects.get(bank=world.bank, content=content).id)
