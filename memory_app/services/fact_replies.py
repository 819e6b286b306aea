"""What the tools and resources of facts answer with."""

from __future__ import annotations

from typing import Any

from memory_app.domain.times import iso
from memory_app.models import LedgerEntry, Memory, Mention, PendingDocument, Recall, RecallSave
from memory_app.queries.documents import Waiting
from memory_app.queries.facts import FactRow
from memory_app.queries.provenance import Why
from memory_app.services.auditing import AuditEntry
from memory_app.services.documents_queue import Closed, Queued
from memory_app.services.episodes import EpisodeWritten
from memory_app.services.facts import Believed, FactsAnswer
from memory_app.services.graph.likeness import Likeness
from memory_app.services.replies import memory_reply
from memory_app.services.saves import SaveRecorded
from memory_app.services.tracing import Causes

Record = dict[str, Any]


def episode_reply(written: EpisodeWritten, *, facts: int) -> Record:
    """What an episode's write answers; `facts` is how many the call had."""
    reply: Record = {
        "stored": written.stored,
        "facts": [
            {
                "fact_id": saved.memory.id,
                "source": fact.source,
                "target": fact.target,
                "relation_type": fact.relation_type,
                "fact": saved.memory.content,
                "status": saved.status,
            }
            for fact, saved in written.facts
        ],
        "superseded": [
            {"fact_id": old.id, "by": saved.memory.id}
            for _, saved in written.facts
            for old in saved.replaced
        ],
        "entities": [
            {"id": entity.id, "name": entity.name, "resolved": how}
            for entity, how in written.entities
        ],
        "related_entities": list(written.related),
    }
    if not written.stored:
        reply |= {"not_stored": facts, "retryable": bool(written.ambiguous)}
    if written.ambiguous:
        reply["ambiguous_entities"] = {
            mention: [_candidate(one) for one in candidates]
            for mention, candidates in written.ambiguous.items()
        }
    return reply


def fact_reply(row: FactRow) -> Record:
    """A fact; a plain statement has no source, target and relation."""
    memory = row.memory
    reply: Record = {"fact_id": memory.id, "fact": memory.content}
    reply |= _present(
        source=row.source,
        target=row.target,
        relation_type=row.relation_type,
        causal_hint=row.causal_hint,
        confidence=memory.confidence,
    )
    return reply | {
        "author": memory.author,
        "created_at": iso(memory.created_at),
        "status": memory.status,
    }


def facts_reply(answer: FactsAnswer) -> Record:
    reply: Record = {"facts": [_believed(one) for one in answer.facts]}
    if answer.dropped:
        reply["dropped"] = dict(answer.dropped)
    if answer.waiting:
        reply["pending_ingest"] = [document_reply(row) for row in answer.waiting]
    return reply


def causes_reply(found: Causes) -> Record:
    reply: Record = {
        "causes": [[fact_reply(row) for row in chain] for chain in found.causes],
        "effects": [[fact_reply(row) for row in chain] for chain in found.effects],
        "contradictions": [fact_reply(row) for row in found.contradictions],
    }
    return reply | _present(empty_reason=found.empty_reason, truncated=found.truncated)


def save_reply(saved: SaveRecorded) -> Record:
    return {
        "recorded": saved.recorded,
        "counted": saved.counted,
        "writer": saved.writer,
        "reader": saved.reader,
    }


def audit_reply(told: AuditEntry) -> Record:
    entry = told.entry
    return {
        "at": iso(entry.created_at),
        "operation": entry.operation,
        "actor": entry.actor,
        "target": entry.target,
        "reason": told.reason,
        "seq": entry.seq,
    } | _present(tool=entry.tool)


def document_reply(row: PendingDocument) -> Record:
    return {"path": row.path, "project": row.project, "queued_at": iso(row.queued_at)}


def waiting_reply(page: Waiting) -> Record:
    return {"documents": [document_reply(row) for row in page.documents]}


def queued_reply(queued: Queued) -> Record:
    return {
        "documents": [document_reply(row) for row in queued.queued],
        "unchanged": list(queued.unchanged),
    }


def closed_reply(closed: Closed) -> Record:
    return {"closed": list(closed.closed), "unknown": list(closed.unknown)}


def why_reply(why: Why) -> Record:
    """Who wrote a memory, with what, where and when, how its names resolved, and what followed."""
    memory = why.memory
    reply: Record = {
        "memory": memory_reply(memory),
        "written": {
            "author": memory.author,
            "at": iso(memory.created_at),
            "watermark": memory.created_watermark,
        }
        | _present(
            author_name=memory.author_name,
            tool=memory.tool,
            project=memory.project,
            session=memory.session,
            door=_door(why),
        ),
        "resolutions": [_resolution(row) for row in why.mentions],
        "recalls": [_served(memory, row) for row in why.recalls],
        "saves": [_saving(row) for row in why.saves],
        "changes": [_change(entry) for entry in why.story.entries],
        "supersedes": [_named(row) for row in why.supersedes],
    }
    if why.superseded_by is not None:
        reply["superseded_by"] = _named(why.superseded_by) | _present(
            reason=memory.retired_reason,
            at=None if memory.retired_at is None else iso(memory.retired_at),
        )
    return reply


def _believed(one: Believed) -> Record:
    hit = one.hit
    reply = fact_reply(one.fact) | {"rank": hit.rank, "matched": list(hit.matched)}
    return reply | _present(
        score=None if hit.score is None else round(hit.score, 6),
        truncated=hit.truncated,
        disputed_by=list(hit.disputed_by),
    )


def _candidate(one: Likeness) -> Record:
    return {
        "id": one.entity_id,
        "name": one.name,
        "description": one.description,
        "reason": one.reason,
    }


def _resolution(row: Mention) -> Record:
    return {
        "name": row.name,
        "entity": row.entity_id,
        "entity_name": row.entity.name,
        "resolved": row.resolution,
        "since": row.since,
    } | _present(until=row.until)


def _served(memory: Memory, row: Recall) -> Record:
    hit: Record = next((one for one in row.hits if one.get("id") == memory.id), {})
    return {
        "recall": row.id,
        "at": iso(row.created_at),
        "reader": row.actor,
        "query": row.query,
    } | _present(tool=row.tool, rank=hit.get("rank"), score=hit.get("score"))


def _saving(row: RecallSave) -> Record:
    return {
        "at": iso(row.created_at),
        "reader": row.reader,
        "note": row.note,
        "counted": row.counted,
        "recall": row.recall_id,
    }


def _change(entry: LedgerEntry) -> Record:
    return {
        "seq": entry.seq,
        "at": iso(entry.created_at),
        "operation": entry.operation,
        "actor": entry.actor,
    } | _present(reason=entry.reason, tool=entry.tool, door=entry.door)


def _door(why: Why) -> str:
    return next(
        (entry.door for entry in why.story.entries if entry.seq == why.memory.created_watermark), ""
    )


def _named(memory: Memory) -> Record:
    return {"id": memory.id, "content": memory.content}


def _present(**values: Any) -> Record:
    """Only what there is: None, false, empty texts and lists are left out, zero is kept."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value not in ("", [])
    }
