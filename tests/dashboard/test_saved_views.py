from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.actor import Actor
from accounts.models import Membership, User
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, TierInsufficient
from memory_app.models import Memory
from memory_app.services import saved_views
from tests.dashboard.conftest import Desk


@pytest.fixture
def colleague(desk: Desk) -> tuple[Client, Actor]:
    """A viewer of the same organization."""
    world = desk.world
    user = User.objects.create_user(f"c-{world.organization.slug}@example.com", "a long one 1")
    with acting_as(world.person):
        Membership.objects.create(organization=world.organization, user=user, role="viewer")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    organization_id = world.organization.id
    return client, Actor(organization_id=organization_id, kind="user", id=user.id, role="viewer")


def _names(page: object) -> list[str]:
    return [view.name for view in page.context["shell"].views]  # type: ignore[attr-defined]


def test_a_query_is_kept_under_a_name_and_opens_from_the_sidebar(
    desk: Desk, remember: Callable[..., Memory]
) -> None:
    remember("The office closes at six.", tags=["office"])
    saved = desk.client.post(
        desk.url("views/"), {"name": "Office", "query": "tag=office&after=n.x&junk=1"}
    )
    page = desk.client.get(saved["Location"])

    assert saved["Location"] == desk.url("memories/?tag=office")
    assert [(view.name, view.current) for view in page.context["shell"].views] == [("Office", True)]
    assert page.context["standing"].name == "Office"


def test_private_views_are_their_makers_alone(desk: Desk, colleague: tuple[Client, Actor]) -> None:
    client, actor = colleague
    mine = saved_views.save_view(desk.world.person, "main", name="Mine", query="tag=a")
    saved_views.save_view(desk.world.person, "main", name="Ours", query="tag=b", shared=True)
    saved_views.save_view(actor, "main", name="Theirs", query="tag=c")

    theirs = client.post(desk.url(f"views/{mine.id}/remove"))

    assert _names(client.get(desk.url("memories/"))) == ["Ours", "Theirs"]
    assert _names(desk.client.get(desk.url("memories/"))) == ["Mine", "Ours"]
    assert theirs.status_code == 404


def test_a_viewer_can_neither_share_nor_change_what_is_shared(
    desk: Desk, colleague: tuple[Client, Actor]
) -> None:
    client, actor = colleague
    ours = saved_views.save_view(desk.world.person, "main", name="Ours", query="", shared=True)

    with pytest.raises(TierInsufficient):
        saved_views.save_view(actor, "main", name="Mine", query="", shared=True)
    assert client.post(desk.url(f"views/{ours.id}/remove")).status_code == 403
    assert client.post(desk.url(f"views/{ours.id}"), {"name": "No"}).status_code == 403


def test_a_view_is_renamed_removed_and_brought_back(desk: Desk) -> None:
    view = saved_views.save_view(desk.world.person, "main", name="Old", query="tag=a")

    desk.client.post(desk.url(f"views/{view.id}"), {"name": "New", "shared": "1"})
    renamed = _names(desk.client.get(desk.url("memories/")))
    removed = desk.client.post(desk.url(f"views/{view.id}/remove"), follow=True)
    desk.client.post(desk.url(f"views/{view.id}/restore"))

    assert renamed == ["New"]
    assert _names(removed) == []
    assert desk.url(f"views/{view.id}/restore") in removed.content.decode()
    assert _names(desk.client.get(desk.url("memories/"))) == ["New"]


@pytest.mark.parametrize("name", ["", " ", "x" * 81, None, "a\x00b"])
def test_a_name_that_is_none_is_refused(desk: Desk, name: object) -> None:
    with pytest.raises(InvalidArgument) as refused:
        saved_views.save_view(desk.world.person, "main", name=name, query="")

    assert refused.value.field == "name"


@pytest.mark.parametrize("query", ["tag=%00", "tag=%FF", "a=1&" * 60, "x" * 5_000])
def test_a_query_that_is_none_is_refused(desk: Desk, query: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        saved_views.save_view(desk.world.person, "main", name="Odd", query=query)

    assert refused.value.field == "query"
