from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import Membership, User
from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.services import memories
from memory_app.services.bulk import operations
from tests.dashboard.conftest import Desk
from tests.factories import World
from tests.jobs import do_jobs

Remember = Callable[..., Memory]


@pytest.fixture
def three(remember: Remember) -> list[Memory]:
    return [
        remember("The office closes at six.", tags=["office"]),
        remember("Bananas ripen in a paper bag.", tags=["food"]),
        remember("Staging is reset every Monday.", tags=["office"]),
    ]


def test_the_count_is_shown_before_anything_changes(desk: Desk, three: list[Memory]) -> None:
    page = desk.client.get(desk.url("memories/bulk?action=retire&all=1&tag=office"))

    assert page.context["number"] == 2
    assert "Retire 2 memories?" in page.content.decode()
    assert not any(memory.retired_at for memory in _rows(desk))


def test_all_that_match_are_changed_by_the_filter_and_taken_back_by_one_undo(
    desk: Desk, three: list[Memory]
) -> None:
    back = desk.url("memories/?tag=office")
    done = desk.client.post(
        desk.url("memories/bulk"),
        {"action": "retire", "all": "1", "tag": "OFFICE", "value": "moved", "next": back},
    )
    page = desk.client.get(done["Location"])
    undo = _undo_of(page)

    retired = [memory for memory in _rows(desk) if memory.retired_at]
    desk.client.post(undo)

    assert done["Location"] == back
    assert "Retired 2 memories." in page.content.decode()
    assert {memory.retired_reason for memory in retired} == {"moved"}
    assert not any(memory.retired_at for memory in _rows(desk))


@pytest.mark.parametrize("action", ["set_category", "set_collection", "add_tags", "pin"])
def test_a_list_filtered_by_what_an_action_gives_is_changed_as_shown(
    desk: Desk, remember: Remember, action: str
) -> None:
    """The filter and the new value have one name for people; a form must not take one for the other."""
    chosen = remember("The office closes at six.", category="house", collection="house")
    other = remember("Bananas ripen in a paper bag.", category="food", collection="food")
    where = {"all": "1", "category": "house", "collection": "house"}

    asked = desk.client.get(desk.url("memories/bulk"), {"action": action, **where})
    done = desk.client.post(
        desk.url("memories/bulk"), {"action": action, **where, "value": "food"}, follow=True
    )

    assert (asked.context["number"], asked.context["value"]) == (1, "")
    assert "1 memory." in done.content.decode()
    rows = {memory.id: memory for memory in _rows(desk)}
    assert rows[chosen.id].head_watermark > chosen.head_watermark
    assert rows[other.id].head_watermark == other.head_watermark


def test_a_filter_that_finds_nothing_offers_no_change(
    desk: Desk, stranger: World, three: list[Memory]
) -> None:
    """Another organization's memory is one that isn't there."""
    theirs = memories.save(stranger.person, "main", parse_draft(content="x", default_source="t"))
    none = desk.client.get(desk.url("memories/bulk?action=add_tags&all=1&tag=nothing"))
    foreign = desk.client.get(
        desk.url("memories/bulk"), {"action": "delete", "id": theirs.memory.id}
    )

    pages = [page.content.decode() for page in (none, foreign)]
    assert ["There is nothing to change" in page for page in pages] == [True, True]
    assert [" memories</button>" in page for page in pages] == [False, False]


def test_ticked_rows_are_tagged(desk: Desk, three: list[Memory]) -> None:
    picked = [three[0].id, three[1].id]
    desk.client.post(
        desk.url("memories/bulk"), {"action": "add_tags", "id": picked, "value": "Ops, new"}
    )

    assert {memory.id: memory.tags for memory in _rows(desk)} == {
        three[0].id: ["office", "ops", "new"],
        three[1].id: ["food", "ops", "new"],
        three[2].id: ["office"],
    }


def test_many_go_on_in_the_background_and_the_page_says_how_far(
    desk: Desk, three: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "AT_ONCE", 1)
    done = desk.client.post(desk.url("memories/bulk"), {"action": "delete", "all": "1"})
    running = desk.client.get(done["Location"])
    do_jobs(desk.world)
    finished = desk.client.get(done["Location"], headers={"HX-Request": "true"})
    undone = desk.client.post(done["Location"] + "/undo", follow=True)

    assert "Undo: delete 3 memories" in undone.content.decode()
    assert "Deleted" not in undone.content.decode()
    assert "0 of 3 so far" in running.content.decode()
    assert "hx-trigger" in running.content.decode()
    assert "Finished." in finished.content.decode()
    assert "hx-trigger" not in finished.content.decode()


def test_what_was_left_out_is_listed_with_the_reason(desk: Desk, three: list[Memory]) -> None:
    memories.retire(desk.world.person, "main", three[0].id)
    done = desk.client.post(
        desk.url("memories/bulk"), {"action": "pin", "id": [one.id for one in three]}
    )
    page = desk.client.get(done["Location"]).content.decode()

    assert "Pinned 2 memories. 1 memory could not be changed." in page
    assert "It is retired; revive it first." in page


@pytest.mark.parametrize(
    "query",
    [
        "action=retire",
        "action=explode&all=1",
        "action=retire&all=1&q=words",
        "action=retire&all=1&as_of=2026-01-01",
        "action=retire&all=1&entity=Nobody",
        "action=retire&id=agent_01",
    ],
)
def test_a_bad_address_is_refused_in_plain_words(
    desk: Desk, three: list[Memory], query: str
) -> None:
    page = desk.client.get(desk.url(f"memories/bulk?{query}"))

    assert page.status_code in {400, 404}


def test_a_bad_argument_is_shown_beside_its_field(desk: Desk, three: list[Memory]) -> None:
    page = desk.client.post(
        desk.url("memories/bulk"), {"action": "add_tags", "id": three[0].id, "value": "x" * 65}
    )

    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()
    assert "x" * 65 in page.content.decode()


def test_no_foreign_address_becomes_a_link(desk: Desk, three: list[Memory]) -> None:
    for wanted in ("javascript:alert(1)", "https://evil.example/", "//evil.example"):
        page = desk.client.get(
            desk.url("memories/bulk"), {"action": "pin", "id": three[0].id, "next": wanted}
        )
        assert page.context["next"] == desk.url("memories/")


def test_a_viewer_sees_no_bar_and_changes_nothing(desk: Desk, three: list[Memory]) -> None:
    viewer = _viewer(desk.world)

    page = viewer.get(desk.url("memories/")).content.decode()
    refused = viewer.post(desk.url("memories/bulk"), {"action": "delete", "all": "1"})

    assert 'id="picked"' not in page
    assert refused.status_code == 403
    assert not any(memory.deleted_at for memory in _rows(desk))


def test_memories_are_compared_side_by_side_and_merged(desk: Desk, three: list[Memory]) -> None:
    picked = "&".join(f"id={one.id}" for one in three[:2])
    page = desk.client.get(desk.url(f"memories/merge?{picked}&text={three[1].id}"))
    sides = page.context["sides"]
    editor = page.context["editor"]

    done = desk.client.post(
        desk.url("memories/merge"),
        {
            "id": [one.id for one in three[:2]],
            "keep": three[0].id,
            "content": editor.content,
            "tags": editor.tags,
            "expected_watermark": editor.expected_watermark,
        },
    )
    after = {memory.id: memory for memory in _rows(desk)}
    desk.client.post(_undo_of(desk.client.get(done["Location"])))

    assert [bool(side.pieces) for side in sides] == [False, True]
    assert (editor.content, editor.tags) == ("Bananas ripen in a paper bag.", "office, food")
    assert after[three[0].id].content == "Bananas ripen in a paper bag."
    assert after[three[1].id].superseded_by == three[0].id
    assert [memory.content for memory in _rows(desk)] == [one.content for one in three]
    assert not any(memory.retired_at for memory in _rows(desk))


def test_a_merge_of_one_that_changed_meanwhile_is_asked_again(
    desk: Desk, three: list[Memory]
) -> None:
    page = desk.client.post(
        desk.url("memories/merge"),
        {
            "id": [one.id for one in three[:2]],
            "keep": three[0].id,
            "content": "Typed with care.",
            "expected_watermark": "0",
        },
    )

    assert page.status_code == 412
    assert "Typed with care." in page.content.decode()
    assert not any(memory.retired_at for memory in _rows(desk))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_the_selected_ones_are_downloaded(desk: Desk, three: list[Memory], kind: str) -> None:
    answer = desk.client.get(desk.url(f"memories/export?format={kind}&all=1&tag=office"))
    told = b"".join(answer).decode()

    assert answer["Content-Disposition"].startswith("attachment")
    assert "The office closes at six." in told
    assert "Staging is reset" in told
    assert "Bananas" not in told


def test_a_formula_in_a_memory_is_defused_in_the_table(desk: Desk, remember: Remember) -> None:
    """Case 146: the same escaping as every other table."""
    memory = remember("=HYPERLINK(1)", title="+1", tags=["@sum"])
    answer = desk.client.get(desk.url(f"memories/export?format=csv&id={memory.id}"))
    told = b"".join(answer).decode()

    assert ",=" not in told
    assert ",+" not in told
    assert ",@" not in told


def _rows(desk: Desk) -> list[Memory]:
    with acting_as(desk.world.person):
        return list(Memory.objects.filter(bank_id=desk.world.bank.id).order_by("id"))


def _undo_of(page: object) -> str:
    (message,) = page.context["messages"]  # type: ignore[attr-defined]
    return str(message.extra_tags)


def _viewer(world: World) -> Client:
    user = User.objects.create_user(f"viewer-{world.organization.slug}@example.com", "a long one 1")
    with acting_as(world.person):
        Membership.objects.create(organization=world.organization, user=user, role="viewer")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
