"""The part of a bank's own row that travels in the header of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import parse_fraction, parse_integer
from memory_app.formats.export import refused
from memory_app.models import Bank

FRACTIONS = (
    "auto_link_threshold",
    "duplicate_threshold",
    "related_threshold",
    "verdict_threshold",
    "acting_threshold",
    "freshness_weight",
)
DAYS = ("freshness_days", "history_days")
SWITCHES = ("auto_link", "review_mode")
DAYS_LIMIT = 3_650
_NAMES = (*FRACTIONS, *DAYS, *SWITCHES)


def settings_of(bank: Bank) -> dict[str, Any]:
    """What can be tuned, as it is now."""
    return {name: getattr(bank, name) for name in _NAMES}


def read_settings(given: object) -> dict[str, Any]:
    """The settings of a header. Raises `InvalidArgument` that names line 1."""
    if not isinstance(given, Mapping) or set(given) != set(_NAMES):
        raise refused(1, f"settings must hold {', '.join(_NAMES)}.")
    try:
        fractions = {name: parse_fraction(given[name], field=name) for name in FRACTIONS}
        days = {
            name: parse_integer(given[name], field=name, least=1, most=DAYS_LIMIT, default=1)
            for name in DAYS
        }
    except InvalidArgument as error:
        raise refused(1, error.message) from None
    switches = {name: given[name] for name in SWITCHES}
    if not all(isinstance(value, bool) for value in switches.values()):
        raise refused(1, f"{' and '.join(SWITCHES)} must be true or false.")
    return {**fractions, **days, **switches}
