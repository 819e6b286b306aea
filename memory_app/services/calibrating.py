"""Which confidence is worth a person's time, from what people decided in this bank before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.queries import decisions
from memory_app.queries.access import resolve

BARS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
WANTED = 0.9
ENOUGH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Of the proposals with at least this confidence: how many, and which share people accepted.

    `precision` is None where there are none.
    """

    confidence: float
    proposals: int
    precision: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One kind of proposal. `suggested` is the lowest bar at which nine of ten were right, None
    with fewer than ten decisions above every such bar.
    """

    kind: str
    decided: int
    bars: tuple[Bar, ...]
    suggested: float | None


def calibrate(actor: Actor, bank: str | None) -> list[Calibration]:
    """A suggestion for each kind that was ever decided; nothing is changed. Three queries."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        found = decisions.decided(access)
    return [_of_kind(kind, pairs) for kind, pairs in sorted(found.items())]


def _of_kind(kind: str, pairs: Sequence[tuple[float, bool]]) -> Calibration:
    bars = tuple(_bar(confidence, pairs) for confidence in BARS)
    good = [
        bar.confidence
        for bar in bars
        if bar.proposals >= ENOUGH and bar.precision is not None and bar.precision >= WANTED
    ]
    return Calibration(
        kind=kind, decided=len(pairs), bars=bars, suggested=good[0] if good else None
    )


def _bar(confidence: float, pairs: Sequence[tuple[float, bool]]) -> Bar:
    above = [right for given, right in pairs if given >= confidence]
    precision = round(sum(above) / len(above), 3) if above else None
    return Bar(confidence=confidence, proposals=len(above), precision=precision)
