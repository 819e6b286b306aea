"""The bank beside a screen that is about the whole organization."""

from __future__ import annotations

from dataclasses import replace

from accounts.tenancy import acting_as
from dashboard.place import Place
from dashboard.visited import last_place
from memory_app.queries.sidebar import Sidebar, load_any_sidebar


def settle(place: Place) -> tuple[Place, Sidebar | None]:
    """With the last visited bank in the frame, or the first one; None where there is none yet."""
    organization, bank = last_place(place.request)
    wanted = bank if organization == place.organization.slug else ""
    with acting_as(place.actor):
        sidebar = load_any_sidebar(place.actor, wanted)
    if sidebar is None:
        return place, None
    return replace(place, bank=sidebar.access.bank.slug), sidebar
