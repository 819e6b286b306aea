"""Entities, relationships, recall of a part of the graph, and the picture of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from memory_app.domain.names import type_key
from memory_app.queries import overview
from memory_app.queries.access import Access
from memory_app.queries.subgraph import ENTITIES_LIMIT, Narrowing, turn_back
from memory_app.queries.surroundings import Conditions, View
from memory_app.recall.scope import watermark_at
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import refuse_reversed
from memory_app.rest.serializers.graph import (
    AsOfIn,
    EntityListIn,
    EntityPageOut,
    InspectedOut,
    PathIn,
    PathOut,
    PictureOut,
    RelationshipListIn,
    RelationshipPageOut,
    SubgraphIn,
    SubgraphOut,
    ViewIn,
)
from memory_app.services import pictures, subgraphs
from memory_app.services.graph import resolution
from memory_app.services.graph_replies import (
    entity_reply,
    inspected_reply,
    path_reply,
    picture_reply,
    recalled_reply,
    relationship_reply,
)

GROUP = "graph"
NODES = 300
_NARROWING = ("category", "tags", "observed_from", "observed_to", "entity")


class Entities(Endpoint):
    @operation(
        "list_entities",
        "Entities of the bank, newest first, now or at an instant",
        query=EntityListIn,
        answer=EntityPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            with call.reading(bank) as access:
                at = _watermark(access, filters)
                found = overview.entities(
                    access, text=filters.get("text", ""), kind=filters.get("type", ""), at=at
                )
                entities, following = _page(found, after, limit)
                if at is not None:
                    turn_back(access, entities, at)
                return [entity_reply(one) for one in entities], following

        return call.page("entities", rows, of=f"entities {bank}")


class InspectEntity(Endpoint):
    @operation(
        "read_entity",
        "One entity with its relationships and the memories that name it",
        query=AsOfIn,
        answer=InspectedOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, entity: str) -> Body:
        found = subgraphs.inspect(call.actor, bank, entity, as_of=call.where.get("as_of"))
        return inspected_reply(found)


class Relationships(Endpoint):
    @operation(
        "list_relationships",
        "Relationships of the bank, newest first, now or at an instant",
        query=RelationshipListIn,
        answer=RelationshipPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            with call.reading(bank) as access:
                at = _watermark(access, filters)
                found = overview.relationships(access, at=at)
                if "entity" in filters:
                    end = resolution.find(access.bank.id, filters["entity"], at=at).id
                    found = found.filter(Q(source_id=end) | Q(target_id=end))
                if "type" in filters:
                    found = found.filter(type_key=type_key(filters["type"]))
                edges, following = _page(found, after, limit)
                if at is not None:
                    turn_back(
                        access, [end for edge in edges for end in (edge.source, edge.target)], at
                    )
                return [relationship_reply(one) for one in edges], following

        return call.page("relationships", rows, of=f"relationships {bank}")


class RecallSubgraph(Endpoint):
    @operation(
        "recall_subgraph",
        "Entities around a question or a filter, with edges and snippets",
        body=SubgraphIn,
        answer=SubgraphOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        asked = call.given
        refuse_reversed(asked, "observed_from", "observed_to")
        recalled = subgraphs.recall(
            call.actor,
            bank,
            query=asked.get("query", ""),
            narrowing=Narrowing(**{name: asked[name] for name in _NARROWING if name in asked}),
            limit=asked.get("limit", ENTITIES_LIMIT),
            as_of=asked.get("as_of"),
        )
        return recalled_reply(recalled)


class Picture(Endpoint):
    @operation(
        "get_graph",
        "The best connected entities, or those around one, with the edges among them, for drawing",
        query=ViewIn,
        answer=PictureOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        asked = call.where
        refuse_reversed(asked, "created_from", "created_to")
        focus: tuple[str, ...] = ()
        if "focus" in asked:
            with call.reading(bank) as access:
                at = _watermark(access, asked)
                focus = (resolution.find(access.bank.id, asked["focus"], at=at).id,)
        view = View(
            limit=asked.get("limit", NODES),
            focus=focus,
            depth=asked.get("depth", 1),
            where=Conditions(
                type=asked.get("type", ""),
                relation=asked.get("relation", ""),
                author=asked.get("author", ""),
                since=asked.get("created_from"),
                until=asked.get("created_to"),
            ),
        )
        return picture_reply(pictures.draw(call.actor, bank, view=view, as_of=asked.get("as_of")))


class ShortestPath(Endpoint):
    @operation(
        "get_path",
        "The shortest way between two entities",
        query=PathIn,
        answer=PathOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        asked = call.where
        found = pictures.find_path(
            call.actor, bank, asked["source"], asked["target"], as_of=asked.get("as_of")
        )
        return path_reply(found)


def _watermark(access: Access, asked: Mapping[str, Any]) -> int | None:
    """The bank's number at the instant asked for; None for now."""
    return watermark_at(access.bank.id, asked["as_of"]) if "as_of" in asked else None


def _page(found: Any, after: str | None, limit: int) -> tuple[list[Any], str | None]:
    rows = list((found if after is None else found.filter(id__lt=after))[: limit + 1])
    return rows[:limit], rows[limit - 1].id if len(rows) > limit else None
