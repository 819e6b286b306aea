"""Chains of causes as facts, packed to the size of an answer, and logged as a read (D5)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.queries import causes
from memory_app.queries.access import Access, resolve
from memory_app.queries.causes import Direction, Traced
from memory_app.queries.facts import FactRow, as_facts
from memory_app.recall.loading import load
from memory_app.recall.packing import count_tokens
from memory_app.recall.scope import scope_of
from memory_app.recall.values import TOKEN_BUDGET, Query
from memory_app.services import recalling

# Id, ends, author and time of a fact, in the record that a model reads.
_FRAME = 60

Chain = tuple[FactRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """Chains of facts ordered outwards from the subject; `empty_reason` where there are none."""

    causes: tuple[Chain, ...] = ()
    effects: tuple[Chain, ...] = ()
    contradictions: tuple[FactRow, ...] = ()
    truncated: bool = False
    empty_reason: str | None = None


def trace(
    actor: Actor, bank: str | None, subject: str, *, direction: Direction, hops: int
) -> Causes:
    """Follow recorded causes from a subject. Counts against no cap and feeds no profile.

    Chains that don't fit into about 8,000 tokens are left out, and `truncated` says so.
    """
    started = time.perf_counter()
    with acting_as(actor, relaxed=True):
        access = resolve(actor, bank)
        traced = causes.trace(access, subject, direction=direction, hops=hops)
        found = _packed(traced, _facts(access, traced))
        told = {row.memory.id for chain in (*found.causes, *found.effects) for row in chain}
        told |= {row.memory.id for row in found.contradictions}
        recalling.log_read(
            access,
            query=subject,
            mode="causes",
            filters={"direction": direction, "max_hops": hops},
            hits=[
                {"id": memory_id, "rank": rank, "score": None, "matched": ["causes"]}
                for rank, memory_id in enumerate(sorted(told), start=1)
            ],
            dropped={},
            watermark=access.bank.head_watermark,
            took_ms=(time.perf_counter() - started) * 1000,
            counts=False,
        )
    return found


def _facts(access: Access, traced: Traced) -> dict[str, FactRow]:
    """Every fact of the chains by its memory's id. Two queries."""
    ids = {one for chain in (*traced.causes, *traced.effects) for one in chain}
    ids |= set(traced.contradictions)
    loaded = load(scope_of(access, Query()), [str(to_uuid("mem", one)) for one in ids])
    rows = as_facts(access, [entry.memory for entry in loaded.values()])
    return {row.memory.id: row for row in rows}


def _packed(traced: Traced, facts: Mapping[str, FactRow]) -> Causes:
    """What fits, both directions by turns; the first chain always does."""
    contradictions, left = _fitting(
        [(one,) for one in traced.contradictions], facts, budget=TOKEN_BUDGET // 4
    )
    turns = zip_longest(traced.causes, traced.effects)
    chains = [(chain, number) for pair in turns for number, chain in enumerate(pair) if chain]
    kept, left = _fitting(
        [chain for chain, _ in chains], facts, budget=left + TOKEN_BUDGET * 3 // 4
    )
    sides = [number for _, number in chains][: len(kept)]
    shown = len(kept) + len(contradictions)
    return Causes(
        causes=tuple(chain for chain, side in zip(kept, sides, strict=True) if side == 0),
        effects=tuple(chain for chain, side in zip(kept, sides, strict=True) if side == 1),
        contradictions=tuple(row for chain in contradictions for row in chain),
        truncated=traced.truncated or shown < len(chains) + len(traced.contradictions),
        empty_reason=traced.empty_reason,
    )


def _fitting(
    chains: Sequence[Iterable[str]], facts: Mapping[str, FactRow], *, budget: int
) -> tuple[list[Chain], int]:
    """The first of the chains up to the budget, and what is left of it."""
    kept: list[Chain] = []
    for chain in chains:
        rows = tuple(facts[one] for one in chain if one in facts)
        size = sum(_FRAME + count_tokens(row.memory.content) for row in rows)
        if kept and size > budget:
            break
        kept.append(rows)
        budget -= size
    return kept, max(budget, 0)
