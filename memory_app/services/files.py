"""Appendix files (A4): bytes in Django's storage, everything about them in the database.

A file lies under its own id, so nothing that a caller names reaches the storage. Writing a path again
makes a new version; the ones before stay readable. Files are found by path, name, description, tags.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.core.files import File as DjangoFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import ContentTooLong, NotFound, ProductError
from memory_app.domain.files import DESCRIPTION_LIMIT, HEAD, clean_path, sniff
from memory_app.domain.ids import is_id, missing, new_id
from memory_app.domain.text import clean, clean_tags
from memory_app.models import Bank, File
from memory_app.queries.access import Access, resolve
from memory_app.services import ledger

SIZE_LIMIT = 50 * 1024 * 1024
IN_MEMORY = 1024 * 1024


class QuotaReached(ProductError):
    """The organization's files take up all the room it has."""

    code = "quota_reached"
    status = 413


class FileTooLarge(ContentTooLong):
    """A file is over the limit of its door."""

    code = "file_too_large"
    status = 413


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A file as it stands; `status` is created, replaced (a new version) or known (the same bytes)."""

    file: File
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file as a caller hands it over, to be checked."""

    path: object
    chunks: Iterable[bytes]
    description: object = None
    tags: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """Bytes that have arrived, with what they are."""

    data: IO[bytes]
    size: int
    sha256: str
    head: bytes


@dataclass(slots=True)
class _Arrived:
    """A file that may be stored; `storage_name` once its bytes are."""

    id: str
    path: str
    description: str | None
    tags: list[str] | None
    received: Received
    storage_name: str = ""


def store_file(
    actor: Actor,
    bank: str | None,
    *,
    path: object,
    chunks: Iterable[bytes],
    description: object = None,
    tags: object = None,
    limit: int = SIZE_LIMIT,
) -> Stored:
    """Store bytes under a path; what lies there already becomes an earlier version.

    Needs `read_write`. The same bytes with the same description are known and store nothing. Raises
    `FileTooLarge` above `limit` and `QuotaReached` when the organization has no room.
    """
    new = NewFile(path=path, chunks=chunks, description=description, tags=tags)
    return store_files(actor, bank, [new], limit=limit)[0]


def store_files(
    actor: Actor, bank: str | None, new: Sequence[NewFile], *, limit: int = SIZE_LIMIT
) -> list[Stored]:
    """Store several files as `store_file` does, all of them or none: a refusal names its file."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        room = room_left(access)
    arrived: list[_Arrived] = []
    unwanted: list[str] = []
    with ExitStack() as stack:
        for one in new:
            with _naming(one, among=len(new)):
                where, said, labels = _described(one)
                received = stack.enter_context(_received(one.chunks, limit=limit, room=room))
            room -= received.size
            arrived.append(_Arrived(new_id("file"), where, said, labels, received))
        try:
            for file in arrived:
                name = f"{access.bank.organization_id}/{access.bank.id}/{file.id}"
                data = DjangoFile(file.received.data, name=file.id)
                file.storage_name = default_storage.save(name, data)
                unwanted.append(file.storage_name)
            with acting_as(actor), ledger.opened(access) as book:
                stored = [_write(book, file) for file in arrived]
            unwanted = [
                file.storage_name
                for file, one in zip(arrived, stored, strict=True)
                if one.status == "known"
            ]
        finally:
            forget_bytes(unwanted)
    return stored


@contextmanager
def _naming(new: NewFile, *, among: int) -> Iterator[None]:
    """Says of a refusal which of several files it is about."""
    try:
        yield
    except ProductError as refusal:
        if among > 1:
            name = str(new.path).rpartition("/")[2][:200]
            refusal.message = f"{name}: {refusal.message}"
            refusal.hint = f"{refusal.hint} None of the {among} files was stored.".strip()
        raise


def _described(new: NewFile) -> tuple[str, str | None, list[str] | None]:
    said = new.description
    if said is not None:
        said = clean(said, field="description", limit=DESCRIPTION_LIMIT)
    labels = None if new.tags is None else list(clean_tags(new.tags))
    return clean_path(new.path), said, labels


def list_files(
    actor: Actor,
    bank: str | None,
    *,
    text: str = "",
    path: str = "",
    after: str | None = None,
    limit: int = 50,
) -> tuple[list[File], str | None]:
    """Current files, newest first, and the id to go on after; `text` in path, description or tags."""
    with acting_as(actor):
        access = resolve(actor, bank)
        rows = File.objects.filter(bank_id=access.bank.id, until=None).order_by("-id")
        if path:
            rows = rows.filter(Q(path=path) | Q(path__startswith=path.rstrip("/") + "/"))
        for word in text.split():
            rows = rows.filter(
                Q(path__icontains=word)
                | Q(description__icontains=word)
                | Q(tags__contains=[word.casefold()])
            )
        if after is not None:
            rows = rows.filter(id__lt=after)
        found = list(rows[: limit + 1])
    return found[:limit], found[limit - 1].id if len(found) > limit else None


def find_file(
    actor: Actor, bank: str | None, reference: str, *, version: int | None = None
) -> File:
    """The current file of that path, or any version by id or number. Raises `NotFound`."""
    with acting_as(actor):
        return find_inside(resolve(actor, bank), reference, version)


def versions_of(actor: Actor, bank: str | None, reference: str) -> list[File]:
    """Every version of a file, newest first."""
    with acting_as(actor):
        access = resolve(actor, bank)
        return list(group_of(find_inside(access, reference)).order_by("-version"))


def opened_file(file: File) -> IO[bytes]:
    """Its bytes, to be read and closed. Raises `NotFound` when the storage has lost them."""
    try:
        handle: IO[bytes] = default_storage.open(file.storage_name, "rb")
    except OSError:
        raise NotFound("content of this file") from None
    return handle


def delete_file(actor: Actor, bank: str | None, reference: str) -> list[File]:
    """Remove a file with all its versions for good, also out of the bin; the ledger keeps the fact.
    Needs `full`.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            found = find_inside(access, reference, binned=True)
            rows = list(group_of(found))
            book.append("delete_file", found.id, counters={"versions": len(rows)})
            group_of(found).delete()
        names = [row.storage_name for row in rows]
        transaction.on_commit(lambda: forget_bytes(names), robust=True)
    return rows


def quota() -> int:
    """How many bytes an organization may store, all versions and the bin counted."""
    return int(settings.FILES_QUOTA_BYTES)


def room_left(access: Access) -> int:
    """Bytes left to the organization. One query."""
    banks = Bank.objects.filter(organization_id=access.bank.organization_id).values("id")
    rows = File.objects.filter(bank_id__in=banks)
    return quota() - int(rows.aggregate(total=Sum("size"))["total"] or 0)


@contextmanager
def _received(chunks: Iterable[bytes], *, limit: int, room: int) -> Iterator[Received]:
    """What arrives, on disk above a megabyte, cut off as soon as it is too much."""
    digest, size, head = hashlib.sha256(), 0, b""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as data:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise FileTooLarge(
                    f"The file is larger than {limit:,} bytes.",
                    hint="Split it, or store larger files over REST (up to 50 MB).",
                    field="content",
                    details={"limit": limit},
                )
            _refuse_over(room, size)
            if len(head) < HEAD:
                head = (head + chunk)[:HEAD]
            digest.update(chunk)
            data.write(chunk)
        data.seek(0)
        yield Received(data=data, size=size, sha256=digest.hexdigest(), head=head)


def _refuse_over(room: int, size: int) -> None:
    if size > room:
        raise QuotaReached(
            f"The organization's files have reached its quota of {quota():,} bytes.",
            hint="Delete files for good that are no longer needed, or ask the operator for more room.",
            details={"limit": quota()},
        )


def _write(book: ledger.Book, arrived: _Arrived) -> Stored:
    file_id, path, received = arrived.id, arrived.path, arrived.received
    description, tags = arrived.description, arrived.tags
    # Once more with the bank's lock held: another upload may have taken the room.
    _refuse_over(room_left(book.access), received.size)
    current = File.objects.filter(bank_id=book.bank.id, path=path, until=None).first()
    if current is not None:
        description = current.description if description is None else description
        tags = list(current.tags) if tags is None else tags
        same = (current.sha256, current.description, list(current.tags))
        if same == (received.sha256, description, tags):
            return Stored(file=current, status="known")
    seq = book.append(
        "store_file",
        file_id,
        content={"path": path, "sha256": received.sha256},
        counters={"bytes": received.size},
    )
    if current is not None:
        File.objects.filter(bank_id=book.bank.id, id=current.id).update(until=seq)
    filename = path.rpartition("/")[2]
    values: dict[str, Any] = {
        "path": path,
        "filename": filename,
        "type": sniff(received.head, filename, whole=received.size <= HEAD),
        "size": received.size,
        "sha256": received.sha256,
        "description": description or "",
        "tags": tags or [],
        "storage_name": arrived.storage_name,
        "version": 1 if current is None else current.version + 1,
    }
    file = File.objects.create(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=file_id,
        created_by=book.access.actor.id,
        created_at=book.moment,
        since=seq,
        **values,
    )
    return Stored(file=file, status="created" if current is None else "replaced")


def group_of(file: File) -> QuerySet[File]:
    """All versions of a file; of one in the bin those that went there with it."""
    rows = File.objects.filter(bank_id=file.bank_id, path=file.path)
    return rows.filter(deleted_at=file.deleted_at)


def find_inside(
    access: Access, reference: str, version: int | None = None, *, binned: bool = False
) -> File:
    """Inside `acting_as`; with `binned` also what waits in the bin, by the id of a version."""
    rows = File.objects.filter(bank_id=access.bank.id)
    if not binned:
        rows = rows.filter(deleted_at=None)
    if is_id("file", reference):
        found = rows.filter(id=reference).first()
        if found is not None and version is not None:
            found = group_of(found).filter(version=version).first()
    elif "\x00" in reference:
        found = None
    elif version is None:
        found = rows.filter(path=reference, until=None).first()
    else:
        found = rows.filter(path=reference, version=version, deleted_at=None).first()
    if found is None:
        raise missing("file", reference)
    return found


def forget_bytes(names: Iterable[str]) -> None:
    for name in names:
        default_storage.delete(name)
