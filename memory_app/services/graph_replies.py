"""The graph's objects as REST and MCP answer with them (contract A's reply shapes)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from memory_app.domain.text import cut
from memory_app.domain.times import iso
from memory_app.models import Entity, File, Memory, Relationship
from memory_app.queries.merges import MergeReview
from memory_app.queries.paths import Path
from memory_app.services.entities import Changed
from memory_app.services.memories import Deleted
from memory_app.services.observations import ObservationRead, ObservationWritten
from memory_app.services.pictures import Picture
from memory_app.services.replies import memory_reply, observed
from memory_app.services.subgraphs import Recalled

SNIPPET = 300


def entity_reply(entity: Entity, *, limit: int | None = None) -> dict[str, Any]:
    """An entity; with `limit` its description is cut there, and that is said."""
    description, truncated = entity.description, False
    if limit is not None:
        description, truncated = cut(description, limit)
    always = {"id": entity.id, "name": entity.name, "degree": entity.degree}
    return always | _present(
        {
            "type": entity.type,
            "description": description,
            "queries": _texts(entity.queries),
            "truncated": truncated,
        }
    )


def relationship_reply(edge: Relationship, *, limit: int | None = None) -> dict[str, Any]:
    """A relationship in its authored direction, its ends by name and id."""
    description = edge.description if limit is None else cut(edge.description, limit)[0]
    always = {
        "id": edge.id,
        "source": edge.source.name,
        "type": edge.type,
        "target": edge.target.name,
        "source_id": edge.source_id,
        "target_id": edge.target_id,
        "weight": edge.weight,
    }
    return always | _present({"description": description, "props": edge.props})


def snippet_reply(memory: Memory) -> dict[str, Any]:
    """The beginning of a memory, whole graphemes; the full text is read by its slug (A10)."""
    snippet, truncated = cut(memory.content, SNIPPET)
    always = {"id": memory.id, "slug": memory.slug, "snippet": snippet, "truncated": truncated}
    return always | _present(
        {
            "title": memory.title,
            "category": memory.category,
            "observed_at": observed(memory),
            "created_at": iso(memory.created_at),
        }
    )


def written_reply(written: ObservationWritten) -> dict[str, Any]:
    """What adding and updating an observation answer."""
    return {
        "observation": memory_reply(written.memory),
        "entities": [
            entity_reply(one.entity)
            | {
                "neighbourhood": [
                    relationship_reply(edge, limit=SNIPPET) for edge in one.neighbourhood
                ]
            }
            for one in written.touched
        ],
        "warnings": list(written.warnings),
        "review_hints": list(written.review_hints),
    } | _pruned(written.pruned.entities, written.pruned.relationships)


def deleted_reply(deleted: Deleted) -> dict[str, Any]:
    """What deleting an observation answers; ids of what only it had backed."""
    return {
        "deleted": deleted.removed,
        "pruned_entities": list(deleted.pruned.entities),
        "pruned_relationships": list(deleted.pruned.relationships),
    }


def read_reply(read: ObservationRead) -> dict[str, Any]:
    """One observation in full, with its own graph."""
    return {
        "observation": memory_reply(read.memory)
        | {
            "entities": [entity_reply(one) for one in read.entities],
            "relationships": [relationship_reply(one) for one in read.relationships],
        }
    }


def recalled_reply(recalled: Recalled) -> dict[str, Any]:
    """What recalling a subgraph answers."""
    found = recalled.subgraph
    entities = []
    for entity in found.entities:
        reply = entity_reply(entity, limit=SNIPPET)
        reply.pop("queries", None)
        if entity.id in found.scores:
            reply["score"] = round(found.scores[entity.id], 6)
        entities.append(reply)
    return {
        "entities": entities,
        "relationships": [relationship_reply(one, limit=SNIPPET) for one in found.relationships],
        "observations": [snippet_reply(one) for one in found.memories],
    } | _about(recalled)


def inspected_reply(recalled: Recalled) -> dict[str, Any]:
    """What inspecting an entity answers."""
    found = recalled.subgraph
    return {
        "entity": entity_reply(found.entities[0]),
        "relationships": [relationship_reply(one, limit=SNIPPET) for one in found.relationships],
        "observations": [snippet_reply(one) for one in found.memories],
    } | _about(recalled)


def merge_reply(review: MergeReview) -> dict[str, Any]:
    """A proposal to merge: the canonical entity first, then its variant."""
    row = review.proposal
    return {
        "id": row.id,
        "kind": "merge",
        "status": row.status,
        "confidence": row.confidence,
        "evidence": dict(row.evidence),
        "entities": [
            entity_reply(one, limit=SNIPPET) | {"role": role}
            for one, role in ((review.canonical, "canonical"), (review.variant, "variant"))
        ],
        "created_by": row.created_by,
        "created_at": iso(row.created_at),
    } | _present(
        {"decided_by": row.decided_by, "decided_at": row.decided_at and iso(row.decided_at)}
    )


def changed_reply(changed: Changed, aliases: Iterable[str]) -> dict[str, Any]:
    """An entity after a change by hand; `watermark` takes it back, `other` is what a split made."""
    reply: dict[str, Any] = {"entity": entity_reply(changed.entity), "aliases": list(aliases)}
    if changed.watermark is not None:
        reply["watermark"] = changed.watermark
    if changed.other is not None:
        reply["other"] = entity_reply(changed.other)
    return reply


def path_reply(path: Path | None) -> dict[str, Any]:
    """Entity ids in order, and the relationship between each two."""
    return {
        "found": path is not None,
        "entities": [] if path is None else list(path.entities),
        "relationships": []
        if path is None
        else [relationship_reply(edge, limit=SNIPPET) for edge in path.relationships],
    }


def file_reply(file: File) -> dict[str, Any]:
    """An appendix file without its bytes."""
    return {
        "id": file.id,
        "path": file.path,
        "filename": file.filename,
        "type": file.type,
        "size": file.size,
        "sha256": file.sha256,
        "tags": list(file.tags),
        "version": file.version,
        "current": file.until is None,
        "created_by": file.created_by,
        "created_at": iso(file.created_at),
    } | _present({"description": file.description})


def picture_reply(picture: Picture) -> dict[str, Any]:
    """The data of the graph view: nodes sized by degree, edges by the ids of their ends."""
    groups = picture.groups
    nodes = [
        _present(
            {
                "id": node.id,
                "name": node.name,
                "type": node.type,
                "degree": node.degree,
                "cluster": None if groups is None else groups.clusters.get(node.id),
                "component": None if groups is None else groups.components.get(node.id),
            }
        )
        for node in picture.overview.nodes
    ]
    shown = {node["component"] for node in nodes if "component" in node}
    return {
        "nodes": nodes,
        "edges": [asdict(edge) for edge in picture.overview.edges],
        "clusters": [{"name": name, "size": size} for name, size in picture.clusters],
        "components": len(shown),
        "total_entities": picture.overview.total,
        "truncated": picture.overview.truncated,
        "watermark": picture.watermark,
    } | ({} if groups is None else {"clusters_watermark": groups.watermark})


def _about(recalled: Recalled) -> dict[str, Any]:
    return _present({"note": recalled.note, "dropped": recalled.subgraph.dropped}) | {
        "recall_id": recalled.recall_id,
        "watermark": recalled.watermark,
    }


def _pruned(entities: Iterable[str], relationships: Iterable[str]) -> dict[str, Any]:
    return _present(
        {"pruned_entities": list(entities), "pruned_relationships": list(relationships)}
    )


def _texts(value: object) -> list[str]:
    """What is a list of texts in a row of these days; of an older one what can be shown."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Without empty texts, lists and False; zero is kept."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value not in ("", [], {})
    }
