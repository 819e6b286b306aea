"""Columns that read well whatever an old row holds, so that one bad row doesn't break every page.

They are stored like the fields they stand on; what is written is checked where it comes in.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from django.db import models

from memory_app.domain.ids import is_id

if TYPE_CHECKING:
    _Json = models.JSONField[Any, Any]
    _Float = models.FloatField[Any, Any]
else:
    _Json, _Float = models.JSONField, models.FloatField


class Unfit(dict[str, Any]):
    """The empty object that stands for stored JSON that isn't one."""


def finite(weight: float) -> float:
    """A weight that JSON can carry: 1 for what is no number or endless."""
    return weight if isfinite(weight) else 1.0


class ObjectField(_Json):
    """A JSON object; anything else reads as `Unfit`."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        found = super().from_db_value(value, expression, connection)
        return found if found is None or isinstance(found, dict) else Unfit()

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class HitsField(_Json):
    """The list of what a read returned; an entry that names no memory reads as if it weren't there."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        found = super().from_db_value(value, expression, connection)
        if not isinstance(found, list):
            return []
        return [_hit(one, place) for place, one in enumerate(found, start=1) if _names(one)]

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


def _names(hit: object) -> bool:
    return isinstance(hit, dict) and isinstance(hit.get("id"), str) and is_id("mem", hit["id"])


def _hit(hit: dict[str, Any], place: int) -> dict[str, Any]:
    """With what every reader relies on, each of its kind."""
    rank, score, matched = hit.get("rank"), hit.get("score"), hit.get("matched")
    kept = {name: value for name, value in hit.items() if name != "score"}
    kept |= {"score": score} if isinstance(score, (int, float)) else {}
    ranked = rank if isinstance(rank, int) else place
    named = [one for one in matched if isinstance(one, str)] if isinstance(matched, list) else []
    return kept | {"rank": ranked, "matched": named}


class WeightField(_Float):
    """A finite number."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else finite(value)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.FloatField", args, kwargs
