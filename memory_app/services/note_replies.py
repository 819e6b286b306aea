"""What the tools and resources of notes answer with."""

from __future__ import annotations

from typing import Any

from memory_app.domain.times import iso
from memory_app.models import Entity, Memory, Mention, Relationship
from memory_app.services.expanding import Expanded, Reached
from memory_app.services.notes import HashCheck, Linked, Remembered
from memory_app.services.recalling import Answer

Record = dict[str, Any]


def note_reply(memory: Memory) -> Record:
    """A memory as a note: its text and its hash."""
    found: Record = {
        "id": memory.id,
        "hash": memory.content_hash,
        "text": memory.content,
        "tags": list(memory.tags),
        "author": memory.author,
        "created_at": iso(memory.created_at),
    }
    return found | ({"props": memory.props} if memory.props else {})


def remembered_reply(remembered: Remembered) -> Record:
    return {
        "memory": note_reply(remembered.memory),
        "entities": [entity_reply(entity) for entity in remembered.entities],
        "edges": [edge_reply(edge) for edge in remembered.edges],
    }


def linked_reply(linked: Linked) -> Record:
    return {
        "nodes": [entity_reply(node) for node in linked.nodes],
        "edge": edge_reply(linked.edge),
    }


def expanded_reply(found: Expanded) -> Record:
    """Ranked memories, and the graph around them; a memory's node holds its id alone."""
    nodes = [
        entity_reply(entity) | {"kind": "entity", "distance": found.distances[entity.id]}
        for entity in found.context.entities
    ]
    nodes += [
        {"id": node, "kind": "memory", "distance": distance}
        for node, distance in found.distances.items()
        if node.startswith("mem_")
    ]
    edges = [edge_reply(edge) for edge in found.context.relationships]
    edges += [_mention_reply(mention) for mention in found.context.mentions]
    reply = {
        "memories": [_reached_reply(one) for one in found.memories],
        "context": {"nodes": nodes, "edges": edges},
        "context_truncated": found.truncated,
    }
    return reply | ({"dropped": dict(found.dropped)} if found.dropped else {})


def recent_reply(answer: Answer) -> Record:
    result = answer.result
    reply: Record = {
        "memories": [
            note_reply(hit.memory) | ({"truncated": True} if hit.truncated else {})
            for hit in result.hits
        ]
    }
    return reply | ({"dropped": dict(result.dropped)} if result.dropped else {})


def hash_reply(check: HashCheck | None) -> Record:
    if check is None:
        return {"found": False}
    return {
        "id": check.id,
        "hash_valid": check.valid,
        "stored_hash": check.stored_hash,
        "computed_hash": check.computed_hash,
    }


def entity_reply(entity: Entity) -> Record:
    found: Record = {"id": entity.id, "name": entity.name}
    return found | ({"label": entity.type} if entity.type else {})


def edge_reply(edge: Relationship) -> Record:
    found: Record = {
        "id": edge.id,
        "from": edge.source_id,
        "type": edge.type,
        "to": edge.target_id,
    }
    return found | ({"props": edge.props} if edge.props else {})


def _mention_reply(mention: Mention) -> Record:
    return {
        "id": mention.id,
        "from": mention.memory_id,
        "type": "mentions",
        "to": mention.entity_id,
    }


def _reached_reply(one: Reached) -> Record:
    found: Record = {
        "memory": note_reply(one.memory),
        "score": round(one.score, 6),
        "distance": one.distance,
    }
    if one.cosine is not None:
        found["cosine"] = round(one.cosine, 6)
    return found | ({"truncated": True} if one.truncated else {})
