"""The list of memories as it stood at an earlier instant."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.queries.access import resolve
from memory_app.queries.browsing import BrowsePage, browse
from memory_app.queries.memories import MemoryFilter
from memory_app.recall.loading import turn_back
from memory_app.recall.scope import watermark_at


def browse_as_of(
    actor: Actor,
    bank: str | None,
    where: MemoryFilter,
    instant: datetime,
    *,
    after: str = "",
    order: str = "",
) -> BrowsePage:
    """What was live then, worded as it was then. Four queries.

    Filters by label ask for the labels of today. Reaches back as far as the bank keeps history; what
    lies before shows less, never more.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        watermark = watermark_at(access.bank.id, instant)
        page = browse(access, replace(where, at=watermark), after=after, order=order)
        turn_back(access.bank.id, watermark, page.memories)
        return replace(page, replacements={})
