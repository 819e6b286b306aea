"""Appendix files as the screens show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from memory_app.models import File

_KINDS = {
    "text/markdown": ("Markdown", "file-text"),
    "text/plain": ("Text", "file-text"),
    "text/csv": ("CSV table", "table"),
    "text/html": ("Web page", "file-code"),
    "application/json": ("JSON", "braces"),
    "application/pdf": ("PDF", "file-text"),
    "application/zip": ("Zip archive", "archive"),
    "application/gzip": ("Gzip archive", "archive"),
    "application/octet-stream": ("Binary", "file"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    id: str
    path: str
    folder: str
    name: str
    kind: str
    icon: str
    size: int
    version: int
    current: bool
    description: str
    tags: tuple[str, ...]
    sha256: str
    who: ActorName | None
    at: datetime
    deleted_at: datetime | None
    url: str
    content_url: str
    restore_url: str
    delete_url: str


def present_files(
    place: Place, rows: Iterable[File], names: Mapping[str, ActorName]
) -> list[FileRow]:
    """Files as rows; no query."""
    return [_present(place, row, names) for row in rows]


def _present(place: Place, row: File, names: Mapping[str, ActorName]) -> FileRow:
    kind, icon = _KINDS.get(row.type, _other(row.type))
    folder = row.path.removesuffix(row.filename)
    return FileRow(
        id=row.id,
        path=row.path,
        folder=folder if folder != row.path else "",
        name=row.filename,
        kind=kind,
        icon=icon,
        size=row.size,
        version=row.version,
        current=row.until is None,
        description=row.description,
        tags=tuple(row.tags),
        sha256=row.sha256,
        who=names.get(row.created_by),
        at=row.created_at,
        deleted_at=row.deleted_at,
        url=place.url("file", row.id),
        content_url=place.url("file-content", row.id),
        restore_url=place.url("file-restore", row.id),
        delete_url=place.url("file-delete", row.id),
    )


def _other(media_type: str) -> tuple[str, str]:
    family, _, kind = media_type.partition("/")
    if family == "image":
        return f"{kind.upper()} image", "image"
    return media_type, "file"
