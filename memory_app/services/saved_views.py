"""Saved views: a name for a query of the list of memories, for oneself or for the organization.

Whoever may read a bank may keep private views of it; what others see as well needs `full`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlencode

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, TierInsufficient
from memory_app.domain.text import clean
from memory_app.models import SavedView
from memory_app.queries.access import Access, resolve
from memory_app.queries.saved_views import find_view, visible_views
from memory_app.services import ledger

NAME_LIMIT = 80
QUERY_LIMIT = 4_000
MOST = 100
# What the address of the list can say; a view keeps nothing else.
PARAMETERS = (
    "q", "state", "author", "tag", "category", "collection", "source", "session", "entity",
    "import", "since", "until", "as_of", "sort",
)  # fmt: skip


def list_views(actor: Actor, bank: str | None) -> list[SavedView]:
    """Shared views and the actor's own, by name."""
    with acting_as(actor):
        return list(visible_views(resolve(actor, bank)))


def save_view(
    actor: Actor, bank: str | None, *, name: object, query: object, shared: bool = False
) -> SavedView:
    """Keep a query of the list under a name.

    Raises `InvalidArgument` that names the field, `Conflict` above a hundred of one's own, and
    `TierInsufficient` for a shared one without `full`.
    """
    title = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    kept = _clean_query(query)
    with acting_as(actor):
        access = resolve(actor, bank)
        _require(access, shared=shared)
        own = SavedView.objects.filter(bank_id=access.bank.id, created_by=actor.id, deleted_at=None)
        if own.count() >= MOST:
            raise Conflict(f"You keep {MOST} views of this bank already.", hint="Remove one first.")
        with ledger.opened(access) as book:
            view = SavedView.objects.create(
                organization_id=access.bank.organization_id,
                bank_id=access.bank.id,
                name=title,
                query=kept,
                shared=shared,
                created_by=actor.id,
                created_at=book.moment,
                updated_at=book.moment,
            )
            book.append("save_view", view.id)
        return view


def change_view(
    actor: Actor,
    bank: str | None,
    view_id: str,
    *,
    name: object = None,
    query: object = None,
    shared: bool | None = None,
) -> SavedView:
    """Rename a view, give it another query, share it or take it back; what is None stays."""
    with _changing(actor, bank, view_id) as (book, view):
        if shared is not None and shared != view.shared:
            _require(book.access, shared=True)
            _refuse_taking_away(actor, view)
            view.shared = shared
        if name is not None:
            view.name = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
        if query is not None:
            view.query = _clean_query(query)
        view.updated_at = book.moment
        view.save(update_fields=["name", "query", "shared", "updated_at"])
        book.append("change_view", view.id)
        return view


def remove_view(actor: Actor, bank: str | None, view_id: str) -> SavedView:
    """Remove a view; it can be restored for 30 days."""
    with _changing(actor, bank, view_id) as (book, view):
        view.deleted_at = book.moment
        view.save(update_fields=["deleted_at"])
        book.append("remove_view", view.id)
        return view


def restore_view(actor: Actor, bank: str | None, view_id: str) -> SavedView:
    """Bring a removed view back. Raises `NotFound` when it is gone or was never removed."""
    with _changing(actor, bank, view_id, removed=True) as (book, view):
        view.deleted_at = None
        view.save(update_fields=["deleted_at"])
        book.append("restore_view", view.id)
        return view


@contextmanager
def _changing(
    actor: Actor, bank: str | None, view_id: str, *, removed: bool = False
) -> Iterator[tuple[ledger.Book, SavedView]]:
    with acting_as(actor):
        access = resolve(actor, bank)
        with ledger.opened(access) as book:
            view = find_view(access, view_id, removed=removed)
            _require(access, shared=view.shared)
            yield book, view


def _require(access: Access, *, shared: bool) -> None:
    access.require("full" if shared else "read")


def _refuse_taking_away(actor: Actor, view: SavedView) -> None:
    """Only its maker can make a view private again: to anybody else it would be gone."""
    if view.created_by != actor.id:
        raise TierInsufficient(
            "Only the person who made a view can make it private again.",
            hint="Save it as a view of your own, or remove it.",
        )


def _clean_query(query: object) -> str:
    """The known parameters that say something, in a fixed order. Raises `InvalidArgument`."""
    text = clean(query, field="query", limit=QUERY_LIMIT, lines=False).lstrip("?")
    try:
        pairs = dict(parse_qsl(text, max_num_fields=50, errors="strict"))
    except ValueError:
        raise InvalidArgument(
            "query is not the query of an address.",
            hint="Send it as in tag=deploy&state=retired.",
            field="query",
        ) from None
    said = {name: pairs[name] for name in PARAMETERS if pairs.get(name)}
    kept = urlencode(said)
    if "\x00" in "".join(said.values()) or len(kept) > QUERY_LIMIT:
        raise InvalidArgument(
            f"query holds a NUL or is longer than {QUERY_LIMIT:,} characters.",
            hint="Shorten the search or its filters.",
            field="query",
        )
    return kept
