"""Recalling a part of the graph and looking at one entity: both are reads like a search (A9 to A11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import numpy as np

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.queries import subgraph
from memory_app.queries.access import Access, resolve
from memory_app.queries.subgraph import ENTITIES_LIMIT, Narrowing, Subgraph
from memory_app.recall import run
from memory_app.recall.loading import turn_back
from memory_app.recall.scope import watermark_at
from memory_app.recall.values import Filters, Query
from memory_app.services import recalling, usage
from memory_app.services.graph import resolution

# Of the memories that match a question best, so many are looked at for ones that name no entity.
LOOKED_AT = 20
# Below this cosine a memory doesn't match a question; it is merely the nearest there is.
MATCHING = 0.3
_ONE = {"entities": "entity", "relationships": "relationship", "observations": "observation"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A part of the graph, what was left out, and the id under which the read log keeps it.

    `nameless` counts the matching memories that name no entity: a search finds those.
    """

    subgraph: Subgraph
    recall_id: str
    watermark: int
    nameless: int = 0

    @property
    def note(self) -> str:
        """What a reader should know about the answer's edges; empty when there is nothing to say."""
        parts = []
        if self.subgraph.dropped:
            counts = ", ".join(
                f"{n} {_ONE[name] if n == 1 else name}" for name, n in self.subgraph.dropped.items()
            )
            parts.append(f"Left out over the ceilings: {counts}. Ask more narrowly to see them.")
        if self.nameless:
            parts.append(
                f"{self.nameless} matching {'memory names' if self.nameless == 1 else 'memories name'}"
                " no entity; search_memory finds them."
            )
        return " ".join(parts)


def recall(
    actor: Actor,
    bank: str | None,
    *,
    query: str = "",
    narrowing: Narrowing | None = None,
    limit: int = ENTITIES_LIMIT,
    as_of: datetime | None = None,
) -> Recalled:
    """Semantic with a query (one operation of the daily cap), structural without (none).

    No model but the embedder is asked; when that is down, names alone answer. Logged like a search.
    Raises `NotFound`, `DailyCapReached`, and `InvalidArgument` for times in the wrong order.
    """
    started = time.perf_counter()
    wanted = narrowing or Narrowing()
    _refuse_reversed(wanted)

    def asked(access: Access, vector: np.ndarray | None) -> Recalled:
        at = _watermark(access, as_of)
        if query:
            found = subgraph.semantic(access, query, vector, wanted, at=at, limit=limit)
            found = _of_entity(access, found, wanted, at=at, past=as_of is not None)
            usage.count_operations(actor, 1, "search")
            matching = _matching(access, query, vector, wanted, as_of)
        else:
            ids = _entity_ids(access, wanted.entity, at=at if as_of else None)
            found = subgraph.structural(access, wanted, ids, at=at, limit=limit)
            matching = [memory.id for memory in found.memories]
        nameless = subgraph.without_entities(access, matching, at=at) if matching else 0
        return _logged(
            access,
            found,
            query=query,
            mode="graph" if query else "structure",
            filters=asdict(wanted) | {"limit": limit, "as_of": as_of},
            at=at,
            past=as_of is not None,
            nameless=nameless,
            started=started,
        )

    return recalling.reading(actor, bank, query or None, asked)


def inspect(
    actor: Actor, bank: str | None, reference: str, *, as_of: datetime | None = None
) -> Recalled:
    """One entity by id, name or alias with its relationships and memories. Raises `NotFound`."""
    started = time.perf_counter()
    with acting_as(actor, relaxed=True):
        access = resolve(actor, bank)
        at = _watermark(access, as_of)
        entity = resolution.find(access.bank.id, reference, at=at if as_of else None)
        return _logged(
            access,
            subgraph.around(access, entity, at=at),
            query=entity.name,
            mode="entity",
            filters={"as_of": as_of},
            at=at,
            past=as_of is not None,
            nameless=0,
            started=started,
        )


def _refuse_reversed(wanted: Narrowing) -> None:
    begin, end = wanted.observed_from, wanted.observed_to
    if begin is not None and end is not None and begin > end:
        raise InvalidArgument(
            "observed_from is later than observed_to.", hint="Swap the two.", field="observed_from"
        )


def _watermark(access: Access, as_of: datetime | None) -> int:
    if as_of is None:
        return access.bank.head_watermark
    return watermark_at(access.bank.id, as_of)


def _logged(
    access: Access,
    found: Subgraph,
    *,
    query: str,
    mode: str,
    filters: dict[str, object],
    at: int,
    past: bool,
    nameless: int,
    started: float,
) -> Recalled:
    if past and found.memories:
        turn_back(access.bank.id, at, found.memories)
    row = recalling.log_read(
        access,
        query=query,
        mode=mode,
        filters=recalling.set_filters(filters),
        hits=[
            {"id": memory.id, "rank": rank, "score": None, "matched": ["graph"]}
            for rank, memory in enumerate(found.memories, 1)
        ],
        dropped=found.dropped,
        watermark=at,
        took_ms=(time.perf_counter() - started) * 1000,
        counts=not past,
    )
    return Recalled(subgraph=found, recall_id=row.id, watermark=at, nameless=nameless)


def _entity_ids(access: Access, name: str | None, *, at: int | None) -> list[str]:
    """The entity that a filter names, by id, name or alias; an unknown one gives nothing."""
    if name is None:
        return []
    try:
        return [resolution.find(access.bank.id, name, at=at).id]
    except NotFound:
        return []


def _of_entity(
    access: Access, found: Subgraph, narrowing: Narrowing, *, at: int, past: bool
) -> Subgraph:
    """Narrow a semantic answer to the memories that name the filter's entity."""
    if narrowing.entity is None:
        return found
    ids = set(_entity_ids(access, narrowing.entity, at=at if past else None))
    backing = subgraph.naming(access, [memory.id for memory in found.memories], ids, at=at)
    memories = tuple(memory for memory in found.memories if memory.id in backing)
    kept = {one for memory in memories for one in backing[memory.id]} | ids
    return replace(
        found,
        entities=tuple(one for one in found.entities if one.id in kept),
        relationships=tuple(
            one for one in found.relationships if {one.source_id, one.target_id} <= kept
        ),
        memories=memories,
    )


def _matching(
    access: Access,
    query: str,
    vector: np.ndarray | None,
    narrowing: Narrowing,
    as_of: datetime | None,
) -> Sequence[str]:
    """Ids of the memories that a search for the same question finds."""
    if narrowing.entity is not None:
        return []
    asked = Query(
        text=query,
        limit=LOOKED_AT,
        min_score=None if vector is None else MATCHING,
        filters=Filters(
            tags=narrowing.tags,
            category=narrowing.category,
            observed_from=narrowing.observed_from,
            observed_to=narrowing.observed_to,
        ),
        as_of=as_of,
    )
    return [hit.memory.id for hit in run(access, asked, query_vector=vector).hits]
