from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.values import Changes, Draft, EntityDraft
from memory_app.models import LedgerEntry, Memory
from memory_app.services import memories
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]


def _texts(desk: Desk, query: str) -> list[str]:
    page = desk.client.get(desk.url(f"memories/?{query}"))
    assert page.status_code == 200
    return [row.snippet for row in page.context["rows"]]


def test_a_filter_by_tag_folds_as_the_tags_were_folded(desk: Desk, remember: Remember) -> None:
    """Case 048: one tag whatever the case, and every spelling finds it."""
    remember("Certified.", tags=["RoHS", "rohs", " RoHS "])
    remember("Quoted.", tags=["Don’t  Panic"])

    for spelling in ("ROHS", "rohs", "%20RoHS%20", "ＲｏＨＳ"):
        assert _texts(desk, f"tag={spelling}") == ["Certified."]
        assert _texts(desk, f"tag={spelling}&q=certified") == ["Certified."]
    assert _texts(desk, "tag=DON’T%20panic") == ["Quoted."]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("alpha, beta", ["alpha", "beta"]),
        ('["x"]', ['["x"]']),
        ("a,A, a ,", ["a"]),
    ],
)
def test_tags_of_the_form_are_split_at_commas(desk: Desk, typed: str, kept: list[str]) -> None:
    """Case 050: a string is a list separated by commas, never single letters."""
    desk.client.post(desk.url("memories/new"), {"content": "Tagged.", "tags": typed})

    with acting_as(desk.world.person):
        assert Memory.objects.get(bank_id=desk.world.bank.id).tags == kept


@pytest.mark.parametrize("typed", [",".join(f"t{n}" for n in range(21)), "x" * 65])
def test_too_many_and_too_long_tags_are_refused_by_the_form(desk: Desk, typed: str) -> None:
    """Case 050."""
    page = desk.client.post(desk.url("memories/new"), {"content": "Tagged.", "tags": typed})

    assert page.status_code == 422
    assert "tags" in page.context["problem"].message


def test_memories_about_an_entity_are_found_by_its_name_and_its_id(
    desk: Desk, remember: Remember
) -> None:
    remember("Nobody is named here.")
    draft = Draft(content="Ada leads the team.", entities=(EntityDraft(name="Ada"),))
    woven = memories.save(desk.world.caller, "main", draft).woven
    assert woven is not None

    assert _texts(desk, "entity=ada") == ["Ada leads the team."]
    assert _texts(desk, f"entity={woven.entity('Ada').id}") == ["Ada leads the team."]
    assert _texts(desk, "entity=ada&q=team") == ["Ada leads the team."]
    assert desk.client.get(desk.url("memories/?entity=Bob")).status_code == 422


def test_a_session_is_listed_by_itself(desk: Desk, remember: Remember) -> None:
    remember("In the first.", session="one")
    remember("In the second.", session="two")

    assert _texts(desk, "session=one") == ["In the first."]


@pytest.mark.parametrize("sort", ["oldest", "changed", "recalled", "unrecalled"])
def test_every_order_pages_without_a_gap(desk: Desk, remember: Remember, sort: str) -> None:
    made = [remember(f"Statement number {number}.") for number in range(8)]
    with acting_as(desk.world.person):
        for number, memory in enumerate(made):
            Memory.objects.filter(bank_id=desk.world.bank.id, id=memory.id).update(
                recall_count=number % 3
            )
    memories.edit(
        desk.world.person, "main", made[0].id, Changes(title="Edited"), expected_watermark=None
    )

    pages = list(_pages(desk, sort))

    assert sorted(one for page in pages for one in page) == sorted(memory.id for memory in made)
    first = {"oldest": made[0].id, "changed": made[0].id, "recalled": made[5].id}
    assert pages[0][0] == first.get(sort, made[0].id)


def test_the_list_shows_an_earlier_moment(desk: Desk, remember: Remember) -> None:
    kept = remember("The limit is 100 requests.")
    gone = remember("The office is in Berlin.")
    then = _moment(desk)
    memories.edit(
        desk.world.person,
        "main",
        kept.id,
        Changes(content="The limit is 200 requests."),
        expected_watermark=None,
    )
    memories.delete(desk.world.person, "main", gone.id)
    remember("Written later.")

    assert _texts(desk, "") == ["Written later.", "The limit is 200 requests."]
    assert _texts(desk, f"as_of={then}") == [
        "The office is in Berlin.",
        "The limit is 100 requests.",
    ]


@pytest.mark.parametrize(
    "query", ["as_of=9999-12-31", "until=9999-12-31", "as_of=T", "sort=recalled&after=recalled~x~y"]
)
def test_a_day_at_the_end_of_time_is_no_crash(desk: Desk, query: str) -> None:
    assert desk.client.get(desk.url(f"memories/?{query}")).status_code == 422


def _pages(desk: Desk, sort: str, size: int = 3) -> object:
    from memory_app.queries.access import resolve
    from memory_app.queries.browsing import browse
    from memory_app.queries.memories import MemoryFilter

    after: str | None = ""
    while after is not None:
        with acting_as(desk.world.person):
            access = resolve(desk.world.person, "main")
            page = browse(access, MemoryFilter(), after=after, limit=size, order=sort)
        yield [memory.id for memory in page.memories]
        after = page.older


def _moment(desk: Desk) -> str:
    with acting_as(desk.world.person):
        newest = LedgerEntry.objects.filter(bank_id=desk.world.bank.id).latest("seq")
        return newest.created_at.isoformat().replace("+00:00", "Z")
