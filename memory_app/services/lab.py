"""The recall lab (F5): what a connection would get for a query, and why, stage by stage.

The same engine as every recall, with a trace. A person's look is no operation of the daily cap, no
entry of the read log and no recall of the memories it finds. An agent needs the tier `full`, pays one
operation, and is logged like any reader.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np

from accounts.actor import Actor
from accounts.models import Agent
from accounts.queries.agents import find_agent
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Mention
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import find
from memory_app.recall import run
from memory_app.recall.cuts import CUTS, Fates, Stage
from memory_app.recall.reasons import Reason, reasons, wide_filters
from memory_app.recall.trace import Trace
from memory_app.recall.values import Filters, Query, Result
from memory_app.services import recalling, usage

TOOL = "run_lab"
# How many of what each stage cut are shown with their text; the count is of all.
SHOWN = 20
_MENTIONS_READ = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What one stage took: how many, and the best of them with their reasons."""

    stage: str
    count: int
    shown: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabRun:
    """One run. `asker` is the access that was tried; `reason` is of the memory asked after.

    `hidden` are memories that would have been served but for a filter or for being retired.
    """

    asker: Access
    agent: Agent | None
    query: Query
    result: Result
    fates: Fates
    has_vector: bool
    embedding_ms: float
    cuts: tuple[Cut, ...]
    hidden: tuple[Reason, ...]
    reason: Reason | None = None
    # The entities that a hit of the graph's channel mentions, by the hit's id.
    mentioned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def watermark(self) -> int:
        return self.result.watermark

    def contributions(self, memory_id: str) -> Mapping[str, float]:
        """What each channel gave to a hit's fused score."""
        return self.fates.contributions.get(str(to_uuid("mem", memory_id)), {})

    def beside(self, memory_id: str) -> tuple[str, ...]:
        """The turns of the same session that stand beside a hit and lent it a share."""
        keys = self.fates.seen.ranked.beside.get(str(to_uuid("mem", memory_id)), ())
        return tuple(_shown(key) for key in keys)


def explain(
    actor: Actor, bank: str | None, query: Query, *, agent: str = "", why: str = ""
) -> LabRun:
    """Ask as an agent's connection, or as oneself without one; `why` names a memory to account for.

    About twenty statements, whatever is found. Raises `NotFound`, `TierInsufficient`,
    `DailyCapReached`, and `InvalidArgument` for an agent that can't read the bank.
    """
    started = time.perf_counter()
    asked = replace(query, explain=True)
    with acting_as(actor):
        access = resolve(actor, bank)
        if actor.kind == "agent":
            access.require("full")
            usage.require_room(actor, int(asked.is_search))
    vector = None
    if asked.needs_vector:
        vector = recalling.query_vector(access.bank, asked.text or "")
    embedding_ms = (time.perf_counter() - started) * 1000
    with acting_as(actor):
        access = resolve(actor, bank)
        found = examine(access, asked, vector, agent=agent, why=why)
        if actor.kind == "agent":
            usage.count_operations(actor, int(asked.is_search), "search")
            took = (time.perf_counter() - started) * 1000
            logged = replace(access, actor=replace(actor, tool=TOOL))
            recalling.record(logged, asked, found.result, took, counts=False)
    return replace(found, embedding_ms=round(embedding_ms, 3))


def examine(
    access: Access, query: Query, vector: np.ndarray | None, *, agent: str = "", why: str = ""
) -> LabRun:
    """`explain` inside the transaction, with the vector at hand; counts and logs nothing."""
    who, asker = ask_as(access, agent)
    trace = Trace()
    result = run(asker, query, query_vector=vector, trace=trace)
    fates = Fates(trace.run, result)
    hidden = _behind_filters(asker, query, vector, fates)
    chosen = find(access, why).id if why else ""
    cut = fates.cut()
    wanted = {
        stage: [_shown(key) for key in cut.get(stage, ())[:SHOWN]] for stage in CUTS if stage in cut
    }
    asked = [*hidden, *(one for ids in wanted.values() for one in ids), *([chosen] * bool(chosen))]
    told = reasons(fates, list(dict.fromkeys(asked)), vector) if asked else {}
    return LabRun(
        asker=asker,
        agent=who,
        query=query,
        result=result,
        fates=fates,
        has_vector=vector is not None,
        embedding_ms=0.0,
        cuts=tuple(_cut(stage, len(cut[stage]), ids, told) for stage, ids in wanted.items()),
        hidden=tuple(told[one] for one in hidden if one in told),
        reason=told.get(chosen),
        mentioned=_mentioned(asker, result),
    )


def ask_as(access: Access, agent: str) -> tuple[Agent | None, Access]:
    """The access to the same bank that an agent (id or slug) has. At most two queries.

    Raises `NotFound` for an unknown agent and `InvalidArgument` for one that may not read the bank.
    """
    if not agent:
        return None, access
    found = find_agent(access.actor, agent)
    actor = Actor(
        organization_id=access.actor.organization_id, kind="agent", id=found.id, name=found.name
    )
    try:
        asker = resolve(actor, access.bank.id)
    except NotFound:
        asker = None
    if asker is None or found.paused_at is not None:
        what = "is paused" if found.paused_at is not None else "has no connection to this bank"
        raise InvalidArgument(
            f"{found.name} {what}, so it gets no answer at all.",
            hint="Connect or resume it on the screen of agents, or ask as another one.",
            field="agent",
        )
    return found, asker


def _mentioned(access: Access, result: Result) -> dict[str, tuple[str, ...]]:
    """One statement where the graph's channel found any hit, else none."""
    ids = [hit.memory.id for hit in result.hits if "graph" in hit.channels]
    if not ids:
        return {}
    rows = Mention.objects.filter(bank_id=access.bank.id, memory_id__in=ids, until=None)
    found: dict[str, tuple[str, ...]] = {}
    for row in rows.select_related("entity").order_by("id")[:_MENTIONS_READ]:
        found[row.memory_id] = (*found.get(row.memory_id, ()), row.entity.name)
    return found


def _behind_filters(
    asker: Access, query: Query, vector: np.ndarray | None, fates: Fates
) -> list[str]:
    """What would have been served without any filter, by the same engine: five statements more."""
    wide = wide_filters(fates.seen.scope)
    if query.filters in (wide, Filters(include_retired=True)):
        return []
    opened = replace(query, filters=wide, max_tokens=None)
    seen = set(fates.candidates)
    hits = run(asker, opened, query_vector=vector).hits
    return [hit.memory.id for hit in hits if str(to_uuid("mem", hit.memory.id)) not in seen]


def _cut(stage: Stage, count: int, ids: Sequence[str], told: Mapping[str, Reason]) -> Cut:
    return Cut(stage=stage, count=count, shown=tuple(told[one] for one in ids if one in told))


def _shown(key: str) -> str:
    return from_uuid("mem", UUID(key))
