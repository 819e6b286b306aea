"""The graph's picture as the canvas takes it, and its controls as the template shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.presenters import filters
from memory_app.queries.overview import Node
from memory_app.queries.paths import Path
from memory_app.services.pictures import Picture

# So many clusters have a colour of their own; the rest are grey.
COLOURS = 8
LISTED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entity of the picture; `colour` is the number of its cluster's, -1 for none."""

    id: str
    name: str
    type: str
    degree: int
    colour: int
    cluster: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """`url` chooses its hub."""

    name: str
    size: int
    colour: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One relationship of a path, read from this side."""

    name: str
    url: str
    relation: str
    outward: bool


def present_canvas(picture: Picture, path: Path | None) -> dict[str, Any]:
    """Columns without names and numbers instead of ids: some 60 bytes a node, 15 an edge."""
    shown = picture.overview
    clusters = _colours(picture)
    places = {node.id: place for place, node in enumerate(shown.nodes)}
    types = sorted({node.type for node in shown.nodes})
    relations = sorted({edge.type for edge in shown.edges})
    type_at = {name: place for place, name in enumerate(types)}
    relation_at = {name: place for place, name in enumerate(relations)}
    groups = picture.groups
    hubs = {} if groups is None else groups.clusters
    return {
        "nodes": [
            [
                node.id,
                node.name,
                type_at[node.type],
                node.degree,
                clusters.get(hubs.get(node.id, ""), -1),
                0 if groups is None else groups.components.get(node.id, 0),
            ]
            for node in shown.nodes
        ],
        "edges": [
            [
                places[edge.source],
                places[edge.target],
                relation_at[edge.type],
                round(edge.weight, 2),
            ]
            for edge in shown.edges
            if edge.source in places and edge.target in places
        ],
        "types": types,
        "relations": relations,
        "hubs": [place for place, node in enumerate(shown.nodes) if hubs.get(node.id) == node.name][
            :COLOURS
        ],
        "path": [] if path is None else [places[one] for one in path.entities if one in places],
        "watermark": picture.watermark,
    }


def present_list(picture: Picture, base: str, given: Mapping[str, str]) -> list[Listed]:
    """The best connected of what is shown."""
    clusters = _colours(picture)
    hubs = {} if picture.groups is None else picture.groups.clusters
    return [
        _listed(node, hubs.get(node.id, ""), clusters, base, given)
        for node in picture.overview.nodes[:LISTED]
    ]


def present_clusters(picture: Picture, base: str, given: Mapping[str, str]) -> list[Cluster]:
    named = {} if picture.groups is None else picture.groups.clusters
    # The best connected come first; the first of a cluster's name is its hub.
    hubs: dict[str, str] = {}
    for node in picture.overview.nodes:
        if named.get(node.id) == node.name:
            hubs.setdefault(node.name, node.id)
    return [
        Cluster(
            name=name,
            size=size,
            colour=colour,
            url=filters.address(base, {**given, "select": hubs[name]}) if name in hubs else "",
        )
        for colour, (name, size) in enumerate(picture.clusters[:COLOURS])
        if size > 1
    ]


def present_path(path: Path, base: str, given: Mapping[str, str]) -> list[Step]:
    """The way from one end to the other; the first step has no relation."""
    names = {edge.source_id: edge.source.name for edge in path.relationships}
    names |= {edge.target_id: edge.target.name for edge in path.relationships}
    steps = []
    for place, entity_id in enumerate(path.entities):
        edge = path.relationships[place - 1] if place else None
        steps.append(
            Step(
                name=names.get(entity_id, ""),
                url=filters.address(base, {**given, "select": entity_id}),
                relation="" if edge is None else edge.type,
                outward=edge is not None and edge.target_id == entity_id,
            )
        )
    return steps


def count_components(picture: Picture) -> int:
    groups = picture.groups
    if groups is None:
        return 0
    return len({groups.components.get(node.id) for node in picture.overview.nodes})


def without(given: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name not in names}


def instead(given: Mapping[str, str], gone: str, heir: str) -> dict[str, str]:
    """The same view of what an entity was merged into."""
    return {name: heir if value == gone else value for name, value in given.items()}


def _colours(picture: Picture) -> dict[str, int]:
    """Colours go to the largest clusters; an entity alone has none."""
    return {
        name: colour for colour, (name, size) in enumerate(picture.clusters[:COLOURS]) if size > 1
    }


def _listed(
    node: Node, hub: str, clusters: Mapping[str, int], base: str, given: Mapping[str, str]
) -> Listed:
    return Listed(
        id=node.id,
        name=node.name,
        type=node.type,
        degree=node.degree,
        colour=clusters.get(hub, -1),
        cluster=hub,
        url=filters.address(base, {**given, "select": node.id}),
    )
