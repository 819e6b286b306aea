"""What frames every dashboard screen: the bank, its neighbours, and how much waits for a person."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from memory_app.domain.errors import NotFound
from memory_app.models import SavedView
from memory_app.queries.access import Access, accesses
from memory_app.queries.expectations import count_red
from memory_app.queries.review import waiting
from memory_app.queries.saved_views import visible_views


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidebar:
    access: Access
    banks: tuple[Access, ...]
    open_proposals: int
    red_tests: int = 0
    views: tuple[SavedView, ...] = ()


def load_sidebar(actor: Actor, bank_slug: str) -> Sidebar:
    """The named bank among those the actor may see. Five queries.

    Raises `NotFound` alike for an unknown bank and a hidden one.
    """
    banks = tuple(accesses(actor))
    access = next((each for each in banks if each.bank.slug == bank_slug), None)
    if access is None:
        raise NotFound("bank")
    return _sidebar(access, banks)


def load_any_sidebar(actor: Actor, wanted: str) -> Sidebar | None:
    """The bank wanted, else the first by name; None without any. As many queries."""
    banks = tuple(accesses(actor))
    if not banks:
        return None
    return _sidebar(next((each for each in banks if each.bank.slug == wanted), banks[0]), banks)


def _sidebar(access: Access, banks: tuple[Access, ...]) -> Sidebar:
    return Sidebar(
        access=access,
        banks=banks,
        open_proposals=waiting(access).total,
        red_tests=count_red(access),
        views=tuple(visible_views(access)),
    )
