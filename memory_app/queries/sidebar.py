"""What frames every dashboard screen: the bank, its neighbours, and how much waits for a person."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from accounts.queries.pages import Page
from memory_app.domain.errors import NotFound, WrongIdPrefix
from memory_app.models import SavedView
from memory_app.queries.access import Access, accesses_page, resolve
from memory_app.queries.expectations import count_red
from memory_app.queries.review import waiting
from memory_app.queries.saved_views import visible_views

# What a switch can show; an organization with more banks has a page of them, with a search.
BANKS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidebar:
    """`banks` are the first ones by name; `more_banks` when there are others."""

    access: Access
    banks: tuple[Access, ...]
    open_proposals: int
    red_tests: int = 0
    views: tuple[SavedView, ...] = ()
    more_banks: bool = False


def load_sidebar(actor: Actor, bank_slug: str) -> Sidebar:
    """The named bank among those the actor may see. Five queries, six where there are many banks.

    Raises `NotFound` alike for an unknown bank and a hidden one.
    """
    page = accesses_page(actor, limit=BANKS_SHOWN)
    access = _named(actor, bank_slug, page)
    if access is None:
        raise NotFound("bank")
    return _sidebar(access, page)


def load_any_sidebar(actor: Actor, wanted: str) -> Sidebar | None:
    """The bank wanted, else the first by name; None without any. As many queries."""
    page = accesses_page(actor, limit=BANKS_SHOWN)
    if not page.items:
        return None
    return _sidebar(_named(actor, wanted, page) or page.items[0], page)


def _named(actor: Actor, slug: str, page: Page[Access]) -> Access | None:
    shown = next((each for each in page.items if each.bank.slug == slug), None)
    if shown is not None or page.next_cursor is None:
        return shown
    try:
        found = resolve(actor, slug)
    except (NotFound, WrongIdPrefix):
        return None
    return found if found.bank.slug == slug else None


def _sidebar(access: Access, page: Page[Access]) -> Sidebar:
    return Sidebar(
        access=access,
        banks=page.items,
        more_banks=page.next_cursor is not None,
        open_proposals=waiting(access).total,
        red_tests=count_red(access),
        views=tuple(visible_views(access)),
    )
