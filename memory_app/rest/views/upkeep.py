"""The audit log, and the queue of documents that wait to be taken in."""

from __future__ import annotations

from typing import Any

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import read
from memory_app.rest.serializers.facts import (
    AuditIn,
    AuditPageOut,
    ClosedOut,
    CloseIn,
    DocumentIn,
    DocumentListIn,
    DocumentPageOut,
    DocumentsIn,
    QueuedOut,
)
from memory_app.services import auditing, documents_queue
from memory_app.services.fact_replies import (
    audit_reply,
    closed_reply,
    document_reply,
    queued_reply,
)

GROUP = "facts"


class Audit(Endpoint):
    @operation(
        "list_audit",
        "What was changed and why, the oldest first",
        query=AuditIn,
        answer=AuditPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: Any, limit: int) -> Any:
            page = auditing.audit(call.actor, bank, after=after, limit=limit, **filters)
            return [audit_reply(entry) for entry in page.entries], page.next_after

        return call.page("entries", rows, of=f"audit {bank}")


class PendingDocuments(Endpoint):
    @operation(
        "list_pending_documents",
        "Files that nobody has taken in yet, the longest waiting first",
        query=DocumentListIn,
        answer=DocumentPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            page = documents_queue.listed(call.actor, bank, after=after, limit=limit, **filters)
            return [document_reply(row) for row in page.documents], page.next_after

        return call.page("documents", rows, of=f"pending {bank}")

    @operation(
        "queue_documents",
        "Let files wait; those that wait already or haven't changed are left alone",
        body=DocumentsIn,
        answer=QueuedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        given = [
            read(DocumentIn, item, place=f"documents[{number}].")
            for number, item in enumerate(call.given["documents"])
        ]
        documents = documents_queue.parse_queueing(given)
        queued = documents_queue.queue(
            call.actor, bank, documents, project=call.given.get("project", "")
        )
        return queued_reply(queued)


class CloseDocuments(Endpoint):
    @operation(
        "close_documents",
        "Close files whose content has been taken in",
        body=CloseIn,
        answer=ClosedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        paths = documents_queue.parse_paths(call.given["paths"])
        session = call.given.get("session_id", "")
        return closed_reply(documents_queue.close(call.actor, bank, paths, session=session))
