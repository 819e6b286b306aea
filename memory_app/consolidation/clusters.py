"""Clusters by label propagation and connected components: the same graph gives the same answer (D11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

WeightedEdge = tuple[str, str, float]
ROUNDS = 20


def clusters(nodes: Sequence[str], edges: Sequence[WeightedEdge]) -> dict[str, str]:
    """For each node the best connected node of its cluster. At most 20 rounds over the edges."""
    around = _around(nodes, edges)
    order = sorted(nodes, key=lambda node: (-len(around[node]), node))
    places = {node: place for place, node in enumerate(order)}
    labels = {node: node for node in nodes}
    for _ in range(ROUNDS):
        changed = False
        for node in order:
            label = _strongest(node, around[node], labels, places)
            changed = changed or label != labels[node]
            labels[node] = label
        if not changed:
            break
    return _named_after_best(order, labels)


def components(nodes: Sequence[str], edges: Sequence[WeightedEdge]) -> dict[str, int]:
    """For each node the number of its connected component, the largest being 0."""
    parents = {node: node for node in nodes}

    def root(node: str) -> str:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for source, target, _ in edges:
        if source in parents and target in parents:
            parents[root(source)] = root(target)
    roots = {node: root(node) for node in nodes}
    sizes = Counter(roots.values())
    numbers = {
        one: number for number, one in enumerate(sorted(sizes, key=lambda one: (-sizes[one], one)))
    }
    return {node: numbers[found] for node, found in roots.items()}


def _around(nodes: Sequence[str], edges: Sequence[WeightedEdge]) -> dict[str, dict[str, float]]:
    around: dict[str, dict[str, float]] = {node: {} for node in nodes}
    for source, target, weight in edges:
        if source == target or source not in around or target not in around:
            continue
        # An edge without weight still joins.
        added = max(weight, 0.01)
        around[source][target] = around[source].get(target, 0.0) + added
        around[target][source] = around[target].get(source, 0.0) + added
    return {
        node: {
            # Edges inside a dense group close triangles; the one that joins two groups doesn't.
            other: weight * (1 + len(near.keys() & around[other].keys()))
            for other, weight in near.items()
        }
        for node, near in around.items()
    }


def _strongest(
    node: str, near: Mapping[str, float], labels: Mapping[str, str], places: Mapping[str, int]
) -> str:
    """The label that weighs most around a node; its own on a tie, else the better connected one."""
    if not near:
        return labels[node]
    weights: dict[str, float] = {}
    for other, weight in near.items():
        weights[labels[other]] = weights.get(labels[other], 0.0) + weight
    most = max(weights.values())
    tied = [label for label, weight in weights.items() if weight >= most - 1e-9]
    return labels[node] if labels[node] in tied else min(tied, key=places.__getitem__)


def _named_after_best(order: Sequence[str], labels: Mapping[str, str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in order:
        names.setdefault(labels[node], node)
    return {node: names[label] for node, label in labels.items()}
