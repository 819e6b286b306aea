"""Where each candidate of a recorded run ended: served, or cut, by which stage and by how much.

Reads the trace alone; no statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memory_app.domain.ids import to_uuid
from memory_app.recall import packing
from memory_app.recall.fusion import STRATEGIES, WEIGHTS
from memory_app.recall.trace import Seen
from memory_app.recall.values import Result

Stage = Literal["served", "channels", "floor", "shortlist", "limit", "tokens", "gone"]
CUTS: tuple[Stage, ...] = ("floor", "shortlist", "limit", "tokens", "gone")
Unit = Literal["", "cosine", "score", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """Where a memory ended. `got` against `wanted`, in `unit`; `place` is its place before the cut."""

    stage: Stage
    unit: Unit = ""
    got: float | None = None
    wanted: float | None = None
    place: int | None = None

    @property
    def missed(self) -> float | None:
        """By how much it fell short; None where no number decides."""
        if self.got is None or self.wanted is None:
            return None
        return abs(self.wanted - self.got)


class Fates:
    """The ends of all candidates of one run, by the uuid of each memory as text."""

    def __init__(self, seen: Seen, result: Result) -> None:
        self.seen = seen
        self._served = {str(to_uuid("mem", hit.memory.id)): hit.rank for hit in result.hits}
        self._loaded = [str(to_uuid("mem", hit.memory.id)) for hit in seen.hits]
        self._refused = set(seen.ranked.refused)
        self._final = {one: n for n, one in enumerate(seen.ranked.whole, start=1)}

    @cached_property
    def contributions(self) -> dict[str, dict[str, float]]:
        """What each channel adds to a memory's fused score, by memory; empty where none is fused."""
        ranked = self.seen.ranked
        found: dict[str, dict[str, float]] = {}
        if not ranked.first:
            return found
        fuse = STRATEGIES[self.seen.query.fusion]
        weights = {**WEIGHTS, **self.seen.query.weights}
        for name, rows in ranked.channels.items():
            for memory_id, part in fuse({name: rows}, ranked.cosines, weights).items():
                found.setdefault(memory_id, {})[name] = part
        return found

    @cached_property
    def candidates(self) -> list[str]:
        """Everything that a channel or a neighbour brought up, the best first."""
        ranked = self.seen.ranked
        named = [*self._final, *self._order, *ranked.refused]
        named += [row.memory_id for found in ranked.channels.values() for row in found]
        return list(dict.fromkeys(named))

    def cut(self) -> dict[Stage, list[str]]:
        """The candidates that were not served, by stage, the best first."""
        found: dict[Stage, list[str]] = {}
        for memory_id in self.candidates:
            stage = self.of(memory_id).stage
            if stage != "served":
                found.setdefault(stage, []).append(memory_id)
        return found

    def of(self, memory_id: str) -> Fate:
        """`channels` for what none brought up."""
        ranked, query = self.seen.ranked, self.seen.query
        if memory_id in self._served:
            return Fate(stage="served", place=self._served[memory_id])
        if memory_id in self._refused:
            cosine = ranked.cosines.get(memory_id)
            return Fate(stage="floor", unit="cosine", got=cosine, wanted=query.min_score)
        place = self._final.get(memory_id)
        if place is None:
            return self._unlisted(memory_id)
        if place > query.limit:
            return self._over_limit(memory_id, place)
        if memory_id in self._loaded:
            return self._over_budget(memory_id)
        return Fate(stage="gone", place=place)

    def _unlisted(self, memory_id: str) -> Fate:
        ranked = self.seen.ranked
        if memory_id not in ranked.first:
            return Fate(stage="channels")
        looked = ranked.looked or ()
        last = ranked.first.get(looked[-1]) if looked else None
        return Fate(
            stage="shortlist",
            unit="score",
            got=ranked.first[memory_id],
            wanted=last,
            place=self._order[memory_id],
        )

    def _over_limit(self, memory_id: str, place: int) -> Fate:
        ranked, limit = self.seen.ranked, self.seen.query.limit
        last = ranked.whole[limit - 1] if 0 < limit <= len(ranked.whole) else ""
        return Fate(
            stage="limit",
            unit="score" if ranked.fused else "",
            got=ranked.fused.get(memory_id),
            wanted=ranked.fused.get(last),
            place=place,
        )

    def _over_budget(self, memory_id: str) -> Fate:
        place = self._loaded.index(memory_id)
        used = sum(
            packing.size_of(hit)
            for key, hit in zip(self._loaded[:place], self.seen.hits, strict=False)
            if key in self._served
        )
        size = packing.size_of(self.seen.hits[place])
        room = max(self.seen.budget - used, 0)
        return Fate(stage="tokens", unit="tokens", got=room, wanted=size, place=place + 1)

    @cached_property
    def _order(self) -> Mapping[str, int]:
        """The places after fusion of what reached the floor, as the engine orders them."""
        ranked = self.seen.ranked
        ordered: Sequence[str] = sorted(
            (one for one in ranked.first if one not in self._refused),
            key=lambda one: (ranked.first[one], ranked.cosines.get(one) or 0.0, one),
            reverse=True,
        )
        return {one: number for number, one in enumerate(ordered, start=1)}
