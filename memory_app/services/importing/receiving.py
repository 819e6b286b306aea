"""Uploads on their way in: streamed into the storage, never whole in memory, then read into lines."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from django.core.files import File as DjangoFile
from django.core.files.storage import default_storage

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.ids import new_id
from memory_app.formats import FORMATS
from memory_app.models import ImportJob
from memory_app.providers.clock import now
from memory_app.queries.access import Access, resolve
from memory_app.services.files import FileTooLarge
from memory_app.services.importing.kept import VECTORS
from memory_app.services.importing.working import Phase, go_on, schedule

UPLOAD_BYTES = 64 * 1024 * 1024
FILES_LIMIT = 200
NAME_LIMIT = 200
# Imports of one bank that may lie about with their bytes.
LYING_LIMIT = 100
LYING = ("reading", "ready", "checking", "checked", "paused", "failed")
_IN_MEMORY = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file as it arrives."""

    name: str
    chunks: Iterable[bytes]


def receive(
    actor: Actor,
    bank: str | None,
    uploads: Sequence[Upload],
    *,
    form: str = "",
    mapping: Mapping[str, str] | None = None,
    source: str = "",
) -> ImportJob:
    """Take files in and read them into lines; nothing is stored as a memory. Needs `read_write`.

    Together at most 64 MB and 200 files. What is small is read at once, the rest by a worker.
    Raises `FileTooLarge` and `InvalidArgument`; what was taken in until then is removed again.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        _refuse_too_many(access)
    if form and form not in FORMATS:
        raise InvalidArgument(
            f"There is no format {form!r:.40}.",
            hint=f"Choose one of {', '.join(FORMATS)}, or leave it out.",
            field="format",
        )
    if not 1 <= len(uploads) <= FILES_LIMIT:
        raise InvalidArgument(
            f"An import takes 1 to {FILES_LIMIT} files, not {len(uploads)}.",
            hint="Pack many files into one zip archive.",
            field="file",
        )
    import_id = new_id("imp")
    kept: list[dict[str, Any]] = []
    try:
        _keep_all(uploads, f"{access.bank.organization_id}/{access.bank.id}/{import_id}", kept)
        names = ", ".join(one["name"] for one in kept)
        job = ImportJob(
            organization_id=access.bank.organization_id,
            bank_id=access.bank.id,
            id=import_id,
            actor=actor.id,
            name=names if len(names) <= NAME_LIMIT else f"{len(kept)} files",
            format=form,
            status=ImportJob.Status.READING,
            phase=Phase.READING,
            options={
                "uploads": kept,
                "bytes": sum(one["bytes"] for one in kept),
                "form": form,
                "mapping": dict(mapping or {}),
                "source": source,
                "by": {"name": actor.name, "door": actor.door, "client": actor.client[:300]},
            },
            created_at=now(),
            updated_at=now(),
        )
        with acting_as(actor):
            job.save(force_insert=True)
            waiting = schedule(access, job)
    except BaseException:
        _remove(kept)
        raise
    return go_on(actor, job, waiting)


def _refuse_too_many(access: Access) -> None:
    """Uploads that nobody went on with take up room until they are discarded."""
    lying = ImportJob.objects.filter(bank_id=access.bank.id, status__in=LYING).count()
    if lying >= LYING_LIMIT:
        raise Conflict(
            f"{lying} imports of this bank wait to be finished.",
            hint="Import or discard some of them first; a week old ones go by themselves.",
            details={"limit": LYING_LIMIT},
        )


def opened(upload: Mapping[str, Any]) -> IO[bytes]:
    """The bytes of a kept upload. Raises `InvalidArgument` when the storage has lost them."""
    try:
        handle: IO[bytes] = default_storage.open(upload["storage"], "rb")
    except OSError:
        raise InvalidArgument(
            "The uploaded file is gone.", hint="Upload it again.", field="file"
        ) from None
    return handle


def forget(job: ImportJob) -> None:
    """Remove the bytes of an import that nobody will read any more: uploads and kept vectors."""
    _remove([*job.options.get("uploads", ()), *job.options.get(VECTORS, ())])


def _remove(stored: Iterable[Mapping[str, Any]]) -> None:
    for one in stored:
        default_storage.delete(one["storage"])


def _keep_all(uploads: Sequence[Upload], folder: str, kept: list[dict[str, Any]]) -> None:
    left = UPLOAD_BYTES
    for number, upload in enumerate(uploads):
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
            for chunk in upload.chunks:
                left -= len(chunk)
                if left < 0:
                    raise FileTooLarge(
                        f"The upload is larger than {UPLOAD_BYTES // 1024 // 1024} MB.",
                        hint="Split it into several imports. Nothing was stored.",
                        field="file",
                        details={"limit": UPLOAD_BYTES},
                    )
                spool.write(chunk)
            size = spool.tell()
            spool.seek(0)
            stored = default_storage.save(f"{folder}-{number}", DjangoFile(spool, name="upload"))
        kept.append({"name": clean_filename(upload.name), "storage": stored, "bytes": size})


def clean_filename(name: str) -> str:
    """The last part of what a client calls a file, as one printable line."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(c for c in last if c.isprintable() and not "\ud800" <= c <= "\udfff")
    return plain.strip()[:NAME_LIMIT] or "file"
