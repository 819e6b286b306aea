from __future__ import annotations

from memory_app.consolidation.clusters import WeightedEdge, clusters, components


def ring(*nodes: str) -> list[WeightedEdge]:
    return [(one, two, 1.0) for one in nodes for two in nodes if one < two]


def test_two_dense_groups_joined_by_one_edge_stay_two() -> None:
    """D11: each is named after its most connected node."""
    edges = [*ring("a", "b", "c", "d"), *ring("p", "q", "r", "s"), ("a", "p", 1.0)]

    found = clusters(list("abcdpqrs"), edges)

    assert [found[node] for node in "abcd"] == ["a"] * 4
    assert [found[node] for node in "pqrs"] == ["p"] * 4


def test_components_are_numbered_by_size() -> None:
    """D11"""
    found = components(list("abcxyz"), [("a", "b", 1.0), ("b", "c", 1.0), ("x", "y", 1.0)])

    assert [found[node] for node in "abcxyz"] == [0, 0, 0, 1, 1, 2]


def test_self_loops_and_edges_to_what_is_not_shown_count_for_nothing() -> None:
    found = clusters(["a", "b"], [("a", "a", 1.0), ("a", "gone", 1.0)])

    assert found == {"a": "a", "b": "b"}


def test_the_same_graph_in_another_order_gives_the_same_clusters() -> None:
    edges = [*ring("a", "b", "c"), *ring("x", "y", "z"), ("c", "x", 0.5)]

    assert clusters(list("abcxyz"), edges) == clusters(list("zyxcba"), edges[::-1])
