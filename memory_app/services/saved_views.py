"""Saved views: a name for a query of the list of memories, for oneself or for the organization.

Whoever may read a bank may keep private views of it; what others see as well needs `full`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.db import IntegrityError

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, TierInsufficient
from memory_app.domain.text import clean
from memory_app.models import LedgerContent, LedgerEntry, SavedView
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

    The same view once more is the one there is. Raises `InvalidArgument` that names the field,
    `Conflict` above a hundred of one's own and for a name of another one's, and `TierInsufficient`
    for a shared one without `full`.
    """
    title = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    kept = clean_query(query)
    with _refusing_a_taken_name(title), acting_as(actor):
        access = resolve(actor, bank)
        _require(access, shared=shared)
        with ledger.opened(access) as book:
            own = SavedView.objects.filter(
                bank_id=access.bank.id, created_by=actor.id, deleted_at=None
            )
            known = own.filter(name__iexact=title, query=kept, shared=shared).first()
            if known is not None:
                return known
            if own.count() >= MOST:
                raise Conflict(
                    f"You keep {MOST} views of this bank already.", hint="Remove one first."
                )
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


@contextmanager
def _refusing_a_taken_name(name: str = "") -> Iterator[None]:
    """Around a whole transaction: the database arbitrates between two that take one name."""
    try:
        yield
    except IntegrityError as error:
        if "views_once_named" not in str(error):
            raise
        said = f" called “{name}”" if name else " of this name"
        raise Conflict(
            f"You have another view{said} in this bank.",
            hint="Choose another name, or remove that view first.",
            field="name",
        ) from None


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
        before = _said(view)
        if shared is not None and shared != view.shared:
            _require(book.access, shared=True)
            _refuse_taking_away(actor, view)
            view.shared = shared
        if name is not None:
            view.name = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
        if query is not None:
            view.query = clean_query(query)
        if _said(view) != before:
            _write(book, view, "change_view", {"before": before, "after": _said(view)})
        return view


def undo_view_change(actor: Actor, bank: str | None, view_id: str) -> SavedView:
    """Give a view its name, query and audience from before its last change.

    Raises `Conflict` when its last change is none of these, or taken back already.
    """
    with _changing(actor, bank, view_id) as (book, view):
        mine = {"bank_id": book.bank.id}
        last = LedgerEntry.objects.filter(**mine, target=view.id).order_by("-seq").first()
        content = None
        if last is not None and last.operation == "change_view":
            content = LedgerContent.objects.filter(**mine, seq=last.seq).first()
        if content is None or "before" not in content.content:
            raise Conflict(
                "This view has no change left to take back.", hint="Change it by hand instead."
            )
        before: dict[str, Any] = content.content["before"]
        if before["shared"] != view.shared:
            _require(book.access, shared=True)
            _refuse_taking_away(actor, view)
        view.name, view.query, view.shared = before["name"], before["query"], before["shared"]
        _write(book, view, "undo_view_change", {"after": before})
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
    with _refusing_a_taken_name(), acting_as(actor):
        access = resolve(actor, bank)
        with ledger.opened(access) as book:
            view = find_view(access, view_id, removed=removed)
            _require(access, shared=view.shared)
            yield book, view


def _said(view: SavedView) -> dict[str, Any]:
    return {"name": view.name, "query": view.query, "shared": view.shared}


def _write(book: ledger.Book, view: SavedView, operation: str, content: dict[str, Any]) -> None:
    view.updated_at = book.moment
    view.save(update_fields=["name", "query", "shared", "updated_at"])
    book.append(operation, view.id, content=content)


def _require(access: Access, *, shared: bool) -> None:
    access.require("full" if shared else "read")


def _refuse_taking_away(actor: Actor, view: SavedView) -> None:
    """Only its maker can make a view private again: to anybody else it would be gone."""
    if view.created_by != actor.id:
        raise TierInsufficient(
            "Only the person who made a view can make it private again.",
            hint="Save it as a view of your own, or remove it.",
        )


def clean_query(query: object) -> str:
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
