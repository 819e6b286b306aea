"""Why a memory is not in an answer: every stage it had to pass, the one it fell at, by how much."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_app.domain.ids import to_uuid
from memory_app.domain.times import iso
from memory_app.models import Memory
from memory_app.recall.channels import dense, lexical
from memory_app.recall.cuts import Fate, Fates
from memory_app.recall.loading import load
from memory_app.recall.scope import Scope
from memory_app.recall.values import Filters

Vector = npt.NDArray[np.float32]

_CHECKED = """
SELECT m.id::text, {checks} FROM memories m
WHERE m.bank_id = %(bank)s AND m.organization_id = %(organization)s
  AND m.id = ANY(%(ids)s::uuid[])
"""
_STANDING = {
    "bin": "It is in the bin.",
    "later": "It was saved later than the time asked for.",
    "then": "It was retired, or not yet worded, at the time asked for.",
    "retired": "It is retired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage and what it made of the memory."""

    stage: str
    passed: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """`stage` is where it fell, `served` when it didn't; `missed` in `unit`, where a number decides."""

    memory: Memory
    stage: str
    text: str
    steps: tuple[Step, ...]
    missed: float | None = None
    unit: str = ""


def reasons(fates: Fates, ids: Sequence[str], vector: Vector | None) -> dict[str, Reason]:
    """A reason for each of these memories of the bank, by its id. At most five statements.

    What the bank doesn't hold is left out.
    """
    seen = fates.seen
    keys = [str(to_uuid("mem", one)) for one in ids]
    loaded = load(seen.scope, keys)
    checked = _checked(seen.scope, keys)
    wide = _wide(seen.scope)
    near = {} if vector is None else dense.cosines(wide, vector, keys)
    held = lexical.holding(wide, seen.ranked.terms, keys)
    found = {}
    for key in keys:
        if key not in loaded:
            continue
        memory = loaded[key].memory
        told = _Told(fates, key, memory, near.get(key), held.get(key, ()), vector is not None)
        found[memory.id] = told.reason(checked[key])
    return found


def failing(scope: Scope, ids: Sequence[str]) -> dict[str, list[str]]:
    """The names of the conditions that each of these memories (uuids as text) fails. One statement."""
    return {
        key: [name for name, passed in checks.items() if not passed]
        for key, checks in _checked(scope, ids).items()
    }


def wide_filters(scope: Scope) -> Filters:
    """Filters that let everything through which was there at the scope's time."""
    return Filters(include_retired=scope.as_of is None)


def _wide(scope: Scope) -> Scope:
    return dataclasses.replace(scope, filters=wide_filters(scope))


def _checked(scope: Scope, ids: Sequence[str]) -> dict[str, dict[str, bool]]:
    checks = scope.standing() | scope.conditions()
    flags = ", ".join(f"coalesce(({condition}), false)" for condition in checks.values())
    rows = scope.rows(_CHECKED.format(checks=flags), ids=list(ids)) if ids else []
    return {row[0]: dict(zip(checks, row[1:], strict=True)) for row in rows}


@dataclass(frozen=True, slots=True)
class _Told:
    """One memory's way through the stages, in words."""

    fates: Fates
    key: str
    memory: Memory
    cosine: float | None
    held: tuple[str, ...]
    has_vector: bool

    def reason(self, checks: Mapping[str, bool]) -> Reason:
        fate = self.fates.of(self.key)
        steps: list[Step] = []
        for step in (*self._standing(checks), *self._engine(fate)):
            steps.append(step)
            if not step.passed:
                break
        last = steps[-1]
        numbered = last.stage == fate.stage and not last.passed
        return Reason(
            memory=self.memory,
            stage="served" if last.passed else last.stage,
            text=last.text,
            steps=tuple(steps),
            missed=fate.missed if numbered else self._channel_miss(last),
            unit=fate.unit if numbered and fate.missed is not None else self._channel_unit(last),
        )

    def _standing(self, checks: Mapping[str, bool]) -> Iterator[Step]:
        for name, passed in checks.items():
            if name in _STANDING:
                if not passed:
                    yield Step(stage=name, passed=False, text=self._fallen(name))
            else:
                yield Step(stage=f"filter:{name}", passed=passed, text=self._filter(name))
        yield Step(
            stage="standing", passed=True, text="It stands in the bank at the time asked for."
        )

    def _fallen(self, name: str) -> str:
        text = _STANDING[name]
        if name != "retired":
            return text
        why = f": {self.memory.retired_reason}" if self.memory.retired_reason else ""
        by = (
            f" It was replaced by {self.memory.superseded_by}." if self.memory.superseded_by else ""
        )
        return f"{text}{why}.{by}".replace("..", ".")

    def _filter(self, name: str) -> str:
        asked = getattr(self.fates.seen.scope.filters, name)
        return (
            f"{name} asks for {_shown(asked)}; the memory has {_shown(_value(self.memory, name))}."
        )

    def _engine(self, fate: Fate) -> Iterator[Step]:
        seen = self.fates.seen
        yield Step(stage="channels", passed=fate.stage != "channels", text=self._found())
        query = seen.query
        if query.min_score is not None:
            yield Step(stage="floor", passed=fate.stage != "floor", text=self._floor(fate))
        if seen.ranked.looked is not None:
            yield Step(stage="shortlist", passed=fate.stage != "shortlist", text=self._list(fate))
        yield Step(stage="limit", passed=fate.stage != "limit", text=self._limit(fate))
        yield Step(stage="gone", passed=fate.stage != "gone", text=_gone(fate))
        yield Step(stage="tokens", passed=fate.stage != "tokens", text=self._tokens(fate))
        yield Step(stage="served", passed=True, text=f"It is served, at place {fate.place}.")

    def _found(self) -> str:
        ranked = self.fates.seen.ranked
        parts = []
        for name, rows in ranked.channels.items():
            place = next((n for n, row in enumerate(rows, 1) if row.memory_id == self.key), None)
            if place is not None:
                parts.append(f"{name} found it at place {place} with {rows[place - 1].score:.3f}")
            else:
                parts.append(f"{name} did not find it{self._not_by(name)}")
        if beside := ranked.beside.get(self.key):
            parts.append(f"a turn of its session stands beside {len(beside)} of the candidates")
        return ("; ".join(parts) or "No channel was asked") + "."

    def _not_by(self, name: str) -> str:
        if name == "dense" and self.cosine is None:
            return ": it has no vector yet" if self.has_vector else ""
        if name == "dense":
            last = self._last_of("dense")
            against = "" if last is None else f", and the last one found has {last:.3f}"
            return f": its similarity is {self.cosine:.3f}{against}"
        if name == "lexical":
            missing = [
                term.lexeme for term in self.fates.seen.ranked.terms if term.lexeme not in self.held
            ]
            return f": it lacks {', '.join(missing[:8])}" if missing else ""
        return ""

    def _last_of(self, name: str) -> float | None:
        rows = self.fates.seen.ranked.channels.get(name, ())
        return rows[-1].score if rows else None

    def _channel_miss(self, last: Step) -> float | None:
        nearest = self._last_of("dense")
        if last.stage != "channels" or last.passed or self.cosine is None or nearest is None:
            return None
        return max(nearest - self.cosine, 0.0)

    def _channel_unit(self, last: Step) -> str:
        return "cosine" if self._channel_miss(last) is not None else ""

    def _floor(self, fate: Fate) -> str:
        floor, cosine = self.fates.seen.query.min_score, self.cosine
        if cosine is None:
            return f"It has no similarity to compare with the asked {floor:.3f}."
        if fate.stage == "floor":
            short = (floor or 0.0) - cosine
            return f"Its similarity is {cosine:.3f}, {short:.3f} below the asked {floor:.3f}."
        return f"Its similarity is {cosine:.3f}, and {floor:.3f} is asked."

    def _list(self, fate: Fate) -> str:
        looked = self.fates.seen.ranked.looked or ()
        if fate.stage != "shortlist":
            return f"It is among the {len(looked)} best after fusion."
        return (
            f"It is at place {fate.place} after fusion and the first {len(looked)} go on; "
            f"its score is {fate.got or 0:.3f}, the last of them has {fate.wanted or 0:.3f}."
        )

    def _limit(self, fate: Fate) -> str:
        limit = self.fates.seen.query.limit
        if fate.stage != "limit":
            return f"It is among the first {limit}."
        text = f"It is at place {fate.place} and {limit} were asked for"
        if fate.got is None or fate.wanted is None:
            return f"{text}."
        return f"{text}; its score is {fate.got:.3f}, the last served has {fate.wanted:.3f}."

    def _tokens(self, fate: Fate) -> str:
        budget = self.fates.seen.budget
        if fate.stage != "tokens":
            return f"It fits into the {budget:,} tokens."
        return (
            f"It takes {fate.wanted or 0:,.0f} tokens and {fate.got or 0:,.0f} of the {budget:,} "
            "were left."
        )


def _gone(fate: Fate) -> str:
    if fate.stage == "gone":
        return "It was deleted while the answer was made."
    return "It could be loaded."


def _value(memory: Memory, name: str) -> Any:
    """What the memory holds where a filter of that name looks."""
    named: dict[str, Any] = {
        "authors": memory.author,
        "not_authors": memory.author,
        "created_from": memory.created_at,
        "created_to": memory.created_at,
        "observed_from": memory.observed_at,
        "observed_to": memory.observed_at,
        "pinned": memory.pinned_at is not None,
        "about": "no such entity",
    }
    return named[name] if name in named else getattr(memory, name)


def _shown(value: Any) -> str:
    if value in (None, "", (), []):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return iso(value) if hasattr(value, "isoformat") else str(value)
