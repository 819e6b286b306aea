"""What REST answers beyond the contract's shapes: versions, bulk changes, imports, pages of logs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_app.domain.times import iso
from memory_app.models import (
    BulkOperation,
    ImportJob,
    ImportLine,
    LedgerContent,
    LedgerEntry,
    Link,
    Recall,
    SavedView,
)
from memory_app.queries.memories import Version
from memory_app.queries.proposals import Review
from memory_app.services.bulk import Report
from memory_app.services.importing import ImportReport, Line, done_of, goes_on_at
from memory_app.services.replies import memory_reply


def present(**values: Any) -> dict[str, Any]:
    """Absent means absent: None and empty texts are left out; an instant becomes ISO 8601."""
    return {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None and value != ""
    }


def version_reply(version: Version) -> dict[str, Any]:
    """One state of a memory."""
    return {
        "since": version.since,
        "actor": version.actor,
        "created_at": iso(version.created_at),
        "content": version.content,
        "hash": version.hash,
        "body": version.body,
    } | present(until=version.until, title=version.title)


def bulk_reply(operation: BulkOperation) -> dict[str, Any]:
    """A bulk change without its counts, as in a list."""
    return {
        "id": operation.id,
        "action": operation.action,
        "arguments": operation.arguments,
        "selection": operation.selection,
        "status": str(operation.status),
        "total": operation.total,
        "actor": operation.actor,
        "created_at": iso(operation.created_at),
    } | present(finished_at=operation.finished_at)


def report_reply(report: Report) -> dict[str, Any]:
    """A bulk change with how far it is, and what was left out."""
    return bulk_reply(report.operation) | {
        "counts": report.counts,
        "failures": [
            {"state": str(item.state), "reason": item.reason}
            | present(memory=item.memory_id, question=item.change.get("question"))
            for item in report.failures
        ],
    }


def view_reply(view: SavedView) -> dict[str, Any]:
    return {
        "id": view.id,
        "name": view.name,
        "query": view.query,
        "shared": view.shared,
        "created_by": view.created_by,
        "created_at": iso(view.created_at),
        "updated_at": iso(view.updated_at),
    }


def link_reply(link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "type": link.type,
        "source": link.source_id,
        "target": link.target_id,
        "actor": link.actor,
        "created_at": iso(link.created_at),
        "since": link.since,
    } | present(score=link.score, until=link.until)


def entry_reply(entry: LedgerEntry, content: LedgerContent | None) -> dict[str, Any]:
    """A ledger entry; an erased content is absent and its digest stays."""
    return {
        "seq": entry.seq,
        "id": entry.id,
        "at": iso(entry.created_at),
        "operation": entry.operation,
        "target": entry.target,
        "actor": entry.actor,
        "elapsed_ms": entry.elapsed_ms,
        "counters": entry.counters,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    } | present(
        reason=entry.reason,
        before_watermark=entry.before_watermark,
        after_watermark=entry.after_watermark,
        request_id=entry.request_id,
        door=entry.door,
        tool=entry.tool,
        content=None if content is None else content.content,
    )


def event_reply(event: Recall | LedgerEntry) -> dict[str, Any]:
    """One line of the activity: a search with what it returned, or a change."""
    shared = {"id": event.id, "at": iso(event.created_at), "actor": event.actor}
    shared |= present(door=event.door, tool=event.tool)
    if isinstance(event, LedgerEntry):
        changed = {"kind": "change", "operation": event.operation, "target": event.target}
        return shared | changed | present(reason=event.reason, watermark=event.seq)
    return (
        shared
        | {
            "kind": "search",
            "query": event.query,
            "mode": event.mode,
            "filters": event.filters,
            "hits": event.hits,
            "dropped": event.dropped,
            "took_ms": event.took_ms,
            "watermark": event.watermark,
        }
        | present(client=event.client)
    )


def review_reply(review: Review) -> dict[str, Any]:
    """A proposal with both memories in full, so that they can be shown side by side."""
    row = review.proposal
    return {
        "id": row.id,
        "kind": row.kind,
        "status": row.status,
        "confidence": row.confidence,
        "created_by": row.created_by,
        "created_at": iso(row.created_at),
        "old": memory_reply(review.old),
        "new": memory_reply(review.new),
    } | present(
        reason=row.evidence.get("reason"),
        decision=row.decision,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
    )


def import_reply(report: ImportReport) -> dict[str, Any]:
    """What became of every line."""
    return {
        "format": report.format,
        "status": report.status,
        "counts": report.counts,
        "lines": [line_reply(line) for line in report.lines],
    } | present(import_id=report.import_id)


def line_reply(line: Line | ImportLine) -> dict[str, Any]:
    """One line and its fate."""
    return {
        "number": line.number,
        "outcome": line.outcome,
        "text": line.text,
    } | present(memory_id=line.memory_id, reason=line.reason, place=line.place)


def job_reply(job: ImportJob) -> dict[str, Any]:
    """An import without its lines."""
    options = job.options
    return {
        "import_id": job.id,
        "actor": job.actor,
        "format": job.format,
        "status": job.status,
        "counts": job.counts,
        "total": job.total,
        "done": done_of(job),
        "created_at": iso(job.created_at),
        "updated_at": iso(job.updated_at),
    } | present(
        name=job.name,
        error=job.error,
        goes_on_at=goes_on_at(job),
        columns=options.get("columns"),
        mapping=options.get("mapping"),
        samples=options.get("samples"),
        finished_at=job.finished_at,
    )
