"""Queueing files for those who can read them, and closing them once their content is in (D8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain import text
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import new_id
from memory_app.models import PendingDocument
from memory_app.queries import documents as queries
from memory_app.queries.access import resolve
from memory_app.services import ledger

PATHS_LIMIT = 500
PATH_LIMIT = 500
DIGEST_LIMIT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Queueing:
    """A file to be queued; `digest` tells two states of it apart."""

    path: str
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Which files wait now because of this call, and which were taken in as they are."""

    queued: tuple[PendingDocument, ...]
    unchanged: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    closed: tuple[str, ...]
    unknown: tuple[str, ...]


def parse_queueing(given: Sequence[Mapping[str, object]]) -> tuple[Queueing, ...]:
    """Files as objects with a `path` and optionally a `digest`."""
    return tuple(
        Queueing(
            path=parse_path(item.get("path"), field=f"documents[{number}].path"),
            digest=text.clean_label(
                item.get("digest"), field=f"documents[{number}].digest", limit=DIGEST_LIMIT
            )
            or "",
        )
        for number, item in enumerate(given)
    )


def parse_path(value: object, *, field: str) -> str:
    return text.clean(value, field=field, limit=PATH_LIMIT, least=1, lines=False)


def parse_paths(value: object) -> tuple[str, ...]:
    """1 to 500 paths, repeats folded."""
    if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= PATHS_LIMIT:
        raise InvalidArgument(
            f"paths must be a list of 1 to {PATHS_LIMIT} texts.",
            hint='Send paths as ["notes/decisions.md"].',
            field="paths",
            details={"limit": PATHS_LIMIT},
        )
    paths = [parse_path(item, field=f"paths[{number}]") for number, item in enumerate(value)]
    return tuple(dict.fromkeys(paths))


def queue(
    actor: Actor, bank: str | None, documents: Sequence[Queueing], *, project: str = ""
) -> Queued:
    """Let files wait. Needs `read_write`; a file that waits already waits once.

    A file whose digest is the one it was last closed with is left alone.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        with ledger.opened(access) as book:
            wanted = {one.path: one for one in documents}
            rows = PendingDocument.objects.filter(
                bank_id=book.bank.id, project=project, path__in=wanted
            ).order_by("id")
            latest = {row.path: row for row in rows}
            unchanged = [path for path, one in wanted.items() if _taken_in(latest.get(path), one)]
            queued = [
                _queue_one(book, latest.get(path), one, project)
                for path, one in wanted.items()
                if path not in unchanged
            ]
            new = [row for row, is_new in queued if is_new]
            PendingDocument.objects.bulk_create(new)
            again = [row for row, is_new in queued if not is_new]
            PendingDocument.objects.bulk_update(again, ["digest", "queued_at"])
        return Queued(queued=tuple(row for row, _ in queued), unchanged=tuple(unchanged))


def listed(
    actor: Actor,
    bank: str | None,
    *,
    project: str = "",
    after: str | None = None,
    limit: int = queries.PAGE_LIMIT,
) -> queries.Waiting:
    """What waits, the longest waiting first."""
    with acting_as(actor):
        return queries.waiting(resolve(actor, bank), project=project, after=after, limit=limit)


def close(actor: Actor, bank: str | None, paths: Sequence[str], *, session: str = "") -> Closed:
    """Close what waits under these paths, in whichever project. Needs `read_write`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        with ledger.opened(access) as book:
            rows = list(
                PendingDocument.objects.filter(bank_id=book.bank.id, path__in=paths, closed_at=None)
            )
            for row in rows:
                row.closed_at, row.closed_by, row.session = book.moment, actor.id, session
                book.append("document_close", row.id, content={"path": row.path})
            PendingDocument.objects.bulk_update(rows, ["closed_at", "closed_by", "session"])
    found = {row.path for row in rows}
    return Closed(
        closed=tuple(path for path in paths if path in found),
        unknown=tuple(path for path in paths if path not in found),
    )


def _taken_in(row: PendingDocument | None, one: Queueing) -> bool:
    return (
        row is not None
        and row.closed_at is not None
        and bool(one.digest)
        and row.digest == one.digest
    )


def _queue_one(
    book: ledger.Book, row: PendingDocument | None, one: Queueing, project: str
) -> tuple[PendingDocument, bool]:
    """The row that waits, and whether it is a new one."""
    if row is not None and row.closed_at is None:
        row.digest, row.queued_at = one.digest, book.moment
        return row, False
    fresh = PendingDocument(
        id=new_id("pend"),
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        project=project,
        path=one.path,
        digest=one.digest,
        queued_by=book.access.actor.id,
        queued_at=book.moment,
    )
    book.append("document_queue", fresh.id, content={"path": one.path, "project": project})
    return fresh, True
