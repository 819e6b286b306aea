"""How long writing and recall take on this machine, in a bank that is removed afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from accounts.actor import Actor
from memory_app.domain.values import parse_draft
from memory_app.recall.values import Query
from memory_app.services.evaluation.scratch import scratch_bank, scratch_organization
from memory_app.services.memories import save, save_many
from memory_app.services.recalling import search

_THINGS = ("pump", "valve", "crane", "boiler", "filter", "sensor", "gate", "lamp")
_PLACES = ("harbour", "north yard", "cellar", "workshop", "pier", "depot", "tower")
_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of one operation over `times` runs."""

    operation: str
    times: int
    median: float
    p95: float


def measure(*, memories: int, times: int) -> list[Latency]:
    """Save, search and digest, `times` each, in a bank of `memories`; embedding included."""
    with scratch_organization() as operator, scratch_bank(operator, "Benchmark") as bank:
        for start in range(0, memories, _BATCH):
            numbers = range(start, min(start + _BATCH, memories))
            drafts = [parse_draft(content=_sentence(number)) for number in numbers]
            save_many(operator, bank.id, drafts)
        return [
            _timed("write", times, lambda number: _write(operator, bank.id, memories + number)),
            _timed("query", times, lambda number: _ask(operator, bank.id, _sentence(number)[:60])),
            _timed("digest", times, lambda _: _ask(operator, bank.id, None)),
        ]


def _write(operator: Actor, bank: str, number: int) -> None:
    save(operator, bank, parse_draft(content=_sentence(number)))


def _ask(operator: Actor, bank: str, text: str | None) -> None:
    search(operator, bank, Query(text=text))


def _timed(operation: str, times: int, run: Callable[[int], None]) -> Latency:
    taken: list[float] = []
    for number in range(times):
        started = time.perf_counter()
        run(number)
        taken.append((time.perf_counter() - started) * 1000)
    taken.sort()
    return Latency(
        operation=operation,
        times=times,
        median=round(median(taken), 2),
        p95=round(taken[min(len(taken) - 1, int(len(taken) * 0.95))], 2),
    )


def _sentence(number: int) -> str:
    thing, place = _THINGS[number % len(_THINGS)], _PLACES[number % len(_PLACES)]
    return f"The {thing} number {number} in the {place} was checked in week {number % 52 + 1}."
