"""The saved view that the list stands on, or the offer to keep it as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from dashboard.place import Place
from memory_app.models import SavedView


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`name` is empty where the list's query has no name yet; `query` is what would be kept."""

    query: str
    save_url: str
    name: str = ""
    shared: bool = False
    own: bool = True
    change_url: str = ""
    remove_url: str = ""


def present_standing(
    place: Place, views: Iterable[SavedView], parameters: Mapping[str, str]
) -> Standing | None:
    """None where the list is not narrowed: there is nothing to keep."""
    if not parameters:
        return None
    query = urlencode(parameters)
    found = next((view for view in views if dict(parse_qsl(view.query)) == parameters), None)
    if found is None:
        return Standing(query=query, save_url=place.url("view-new"))
    return Standing(
        query=query,
        save_url=place.url("view-new"),
        name=found.name,
        shared=found.shared,
        own=found.created_by == place.actor.id,
        change_url=place.url("view", found.id),
        remove_url=place.url("view-remove", found.id),
    )
