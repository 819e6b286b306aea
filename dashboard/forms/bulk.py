"""Which memories were picked in the list, and what is to be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from dashboard.forms.browsing import ListQuery, parse_list
from memory_app.domain.errors import InvalidArgument
from memory_app.services.bulk import Selection, parse_selection
from memory_app.services.bulk.selection import IDS_LIMIT

# Called unlike any filter: a list filtered by category may be given another one.
ARGUMENT = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """Some rows by id, or with `everything` all that the list's filters find."""

    everything: bool
    ids: tuple[str, ...]
    listed: ListQuery

    def selection(self, entity: str | None) -> Selection:
        """`entity` is the id of the one that the list is filtered by. Raises `InvalidArgument`."""
        if self.everything:
            return parse_selection(ids=None, where=replace(self.listed.where, entity=entity))
        if not self.ids:
            raise InvalidArgument(
                "No memory is selected.",
                hint="Tick the ones you mean, or choose all that match.",
                field="id",
            )
        return parse_selection(ids=self.ids, where=None)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What a form carries on, so that the next step means the same memories."""
        if not self.everything:
            return [("id", one) for one in self.ids]
        return [("all", "1"), *self.listed.parameters.items()]


def read_picked(query: QueryDict) -> Picked:
    """Raises `InvalidArgument` that names the field."""
    everything = query.get("all") == "1"
    ids = tuple(query.getlist("id"))[: IDS_LIMIT + 1]
    listed = parse_list(query) if everything else ListQuery()
    if everything and (listed.is_search or listed.as_of):
        raise InvalidArgument(
            "A search or an earlier day finds what is near, not a set that can be changed as a whole.",
            hint="Tick the memories you mean, or use filters instead of words.",
            field="all",
        )
    return Picked(everything=everything, ids=ids, listed=listed)


def read_arguments(form: QueryDict, name: str) -> Mapping[str, Any]:
    """What the form gives for the action, as it stands there; `name` is empty where it needs nothing."""
    return {name: form[ARGUMENT]} if name and ARGUMENT in form else {}
