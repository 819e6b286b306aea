"""The picture of a bank's graph. Clusters are computed by upkeep and kept, so that it never waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.core.cache import cache

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.consolidation.clusters import clusters, components
from memory_app.domain.errors import NotFound
from memory_app.queries import entities
from memory_app.queries.access import Access, resolve
from memory_app.queries.overview import Overview, overview
from memory_app.queries.paths import Path, shortest
from memory_app.queries.surroundings import View, surroundings
from memory_app.recall.scope import watermark_at
from memory_app.services.graph import resolution

# So many entities a picture can show, and so many are clustered.
NODES_LIMIT = 5_000
# Up to here clusters are computed while asking where none are kept: some milliseconds.
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Cluster name and component number by entity id, as of a watermark."""

    watermark: int
    clusters: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is shown, the state it shows, and its groups; those are None while they are computed."""

    overview: Overview
    watermark: int
    groups: Groups | None

    @property
    def clusters(self) -> list[tuple[str, int]]:
        """Names of the clusters shown with their sizes, largest first."""
        if self.groups is None:
            return []
        named = self.groups.clusters
        sizes = Counter(named[node.id] for node in self.overview.nodes if node.id in named)
        return sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0]))


def draw(actor: Actor, bank: str | None, *, view: View, as_of: datetime | None = None) -> Picture:
    """What the view asks for with the edges among it, now or at an instant.

    Raises `NotFound` for an entity of the view that the bank doesn't hold.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        at = None if as_of is None else watermark_at(access.bank.id, as_of)
        _require(access, view)
        if view.is_plain:
            shown = overview(access, limit=view.limit, at=at)
        else:
            shown = surroundings(access, view, at=at)
    watermark = access.bank.head_watermark if at is None else at
    kept: Groups | None = None if at is not None else cache.get(_key(access.bank.id))
    # What is kept are the groups of the best connected: around one of the rest they say nothing.
    current = (
        kept is not None
        and kept.watermark == watermark
        and all(node.id in kept.clusters for node in shown.nodes)
    )
    if not current and (len(shown.nodes) <= AT_ONCE or at is not None):
        kept = grouped(shown, watermark)
    return Picture(overview=shown, watermark=watermark, groups=kept)


def find_path(
    actor: Actor, bank: str | None, source: str, target: str, *, as_of: datetime | None = None
) -> Path | None:
    """The shortest way between two entities, each by id, name or alias; None where none is recorded.

    Raises `NotFound`. At most six relationships.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        at = None if as_of is None else watermark_at(access.bank.id, as_of)
        ends = [resolution.find(access.bank.id, each, at=at).id for each in (source, target)]
        return shortest(access, *ends, at=at)


def refresh(actor: Actor, bank: str) -> Groups:
    """Cluster the bank's graph anew and keep that. A graph of 5,000 entities takes about a second."""
    with acting_as(actor):
        access = resolve(actor, bank)
        shown = overview(access, limit=NODES_LIMIT)
    groups = grouped(shown, access.bank.head_watermark)
    cache.set(_key(access.bank.id), groups, timeout=None)
    return groups


def grouped(shown: Overview, watermark: int) -> Groups:
    """The groups of what is shown; each cluster bears the name of its best connected entity."""
    nodes = [node.id for node in shown.nodes]
    names = {node.id: node.name for node in shown.nodes}
    edges = [(edge.source, edge.target, edge.weight) for edge in shown.edges]
    return Groups(
        watermark=watermark,
        clusters={node: names[best] for node, best in clusters(nodes, edges).items()},
        components=components(nodes, edges),
    )


def _require(access: Access, view: View) -> None:
    """One query; none for a view that names no entity."""
    wanted = {*view.focus, *view.expand, *view.also}
    if wanted - entities.by_ids(access, sorted(wanted)).keys():
        raise NotFound("entity")


def _key(bank_id: str) -> str:
    return f"graph-groups:{bank_id}"
