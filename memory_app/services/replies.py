"""The objects that REST and MCP answer with: one spelling of the contract's reply shapes.

Absent means absent, never null; times are ISO 8601 with offset; ids carry their prefix.
"""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

from memory_app.domain.text import CONTENT_LIMIT, DOCUMENT_LIMIT
from memory_app.domain.times import iso
from memory_app.domain.values import broken_rules
from memory_app.models import Memory
from memory_app.models.fields import Unfit
from memory_app.recall.values import Hit, Result
from memory_app.services.memories import Saved


def memory_reply(memory: Memory) -> dict[str, Any]:
    """A memory as the contract shows it."""
    always = {
        "id": memory.id,
        "slug": memory.slug,
        "content": memory.content,
        "tags": list(memory.tags),
        "author": memory.author,
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "pinned": memory.pinned_at is not None,
        "status": memory.status,
        "created_watermark": memory.created_watermark,
        "head_watermark": memory.head_watermark,
        "hash": memory.content_hash,
    }
    return always | _present(
        title=memory.title,
        category=memory.category,
        collection=memory.collection,
        source=memory.source,
        author_name=memory.author_name,
        confidence=memory.confidence,
        project=memory.project,
        session=memory.session,
        observed_at=observed(memory),
        observed_text=memory.observed_text,
        superseded_by=memory.superseded_by,
        retired_reason=memory.retired_reason,
        props=memory.props,
        broken_rules=_broken_rules(memory),
    )


def _broken_rules(memory: Memory) -> list[str]:
    # Documents and observations, which have no dedupe key, may be longer than a statement.
    limit = DOCUMENT_LIMIT if memory.dedupe_key is None else CONTENT_LIMIT
    props = None if isinstance(memory.props, Unfit) else memory.props
    return broken_rules(memory.content, memory.tags, props, limit=limit)


def observed(memory: Memory) -> str | None:
    """When it happened, with the offset it was given in."""
    if memory.observed_at is None:
        return None
    zone = timezone(timedelta(minutes=memory.observed_offset))
    return iso(memory.observed_at.astimezone(zone))


def hit_reply(hit: Hit) -> dict[str, Any]:
    """A memory with why and where it was found."""
    found: dict[str, Any] = {
        "rank": hit.rank,
        "matched": list(hit.matched),
        "via": hit.via,
    }
    extra = _present(
        score=None if hit.score is None else round(hit.score, 6),
        disputed_by=list(hit.disputed_by),
        truncated=hit.truncated,
    )
    return memory_reply(hit.memory) | found | extra


def saved_reply(saved: Saved) -> dict[str, Any]:
    """What a create answers."""
    return {
        "status": saved.status,
        "memory": memory_reply(saved.memory),
        "replaced": [_named(memory) for memory in saved.replaced],
        "queued_for_review": [_named(memory) for memory in saved.queued],
    }


def search_reply(result: Result) -> dict[str, Any]:
    """What a search or the profile answers."""
    reply: dict[str, Any] = {
        "memories": [hit_reply(hit) for hit in result.hits],
        "profile": result.profile,
        "dropped": dict(result.dropped),
    }
    if result.best_refused_score is not None:
        reply["best_refused_score"] = round(result.best_refused_score, 6)
    return reply


def _named(memory: Memory) -> dict[str, str]:
    return {"id": memory.id, "content": memory.content}


def _present(**values: Any) -> dict[str, Any]:
    """Only what there is: empty texts, lists and None are left out, zero is kept."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value not in ("", [], {})
    }
