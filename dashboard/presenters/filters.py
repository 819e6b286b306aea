"""The tabs and chips above a list: addresses that add or take away one condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One applied filter; its address is the list without it."""

    label: str
    value: str
    url: str


def address(base: str, parameters: Mapping[str, str]) -> str:
    """The list with those of the parameters that say something."""
    said = {name: value for name, value in parameters.items() if value}
    return f"{base}?{urlencode(said)}" if said else base


def pager(
    base: str, kept: Mapping[str, str], after: str | None, following: str | None
) -> dict[str, str]:
    """The two addresses of `components/pager.html`: the page that follows, and the first one."""
    return {
        "older_url": address(base, {**kept, "after": following}) if following else "",
        "newer_url": address(base, kept) if after else "",
    }


def tabs(
    base: str,
    given: Mapping[str, str],
    name: str,
    choices: Iterable[tuple[str, str]],
    *,
    current: str,
) -> tuple[Tab, ...]:
    """One tab for each `(value, label)`, every other filter kept."""
    return tuple(
        Tab(label=label, url=address(base, {**given, name: value}), current=value == current)
        for value, label in choices
    )


def chips(
    base: str,
    given: Mapping[str, str],
    labels: Mapping[str, str],
    values: Mapping[str, Mapping[str, str]],
) -> tuple[Chip, ...]:
    """Chips for the filters that `labels` names; `values` holds better words for the values of a filter."""
    return tuple(
        Chip(
            label=label,
            value=values.get(name, {}).get(given[name], given[name]),
            url=address(base, {key: value for key, value in given.items() if key != name}),
        )
        for name, label in labels.items()
        if given.get(name)
    )
