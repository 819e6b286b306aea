"""Medians, 95th percentiles and the lines they are printed as."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value; `bar` is what it has to keep, as a text."""

    name: str
    value: str
    bar: str = ""


def median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1_000


def p95_ms(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] * 1_000


def timed(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def spread(seconds: Sequence[float]) -> str:
    return f"median {median_ms(seconds):.1f} ms, p95 {p95_ms(seconds):.1f} ms"


def show(title: str, figures: Sequence[Figure]) -> None:
    print(f"\n{title}")
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        bar = f"   (bar: {figure.bar})" if figure.bar else ""
        print(f"  {figure.name:<{width}}  {figure.value}{bar}")
