"""Reads an exported bank row by row and refuses what no export could have written.

A file is checked as a whole before anything is stored, and again while it is stored.
"""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import IO, Any
from uuid import UUID

from django.db import models

from memory_app.domain.errors import InvalidArgument, ProductError, WrongIdPrefix
from memory_app.domain.files import clean_path
from memory_app.domain.hashing import GENESIS, cell_digest
from memory_app.domain.ids import canonical_id, to_uuid
from memory_app.formats import export
from memory_app.formats.export import Row, refused
from memory_app.models import (
    Bank,
    Cell,
    Entity,
    File,
    LedgerContent,
    LedgerEntry,
    Memory,
    MemoryTest,
    SavedView,
)
from memory_app.services import ledger
from memory_app.services.memories import storing
from memory_app.services.portability.rows import MODELS, Unfit, read, references, storable
from memory_app.services.portability.settings import read_settings
from memory_app.services.saved_views import clean_query
from memory_app.services.test_runs import query_of

_WATERMARKS = ("since", "until", "created_watermark", "head_watermark", "last_watermark")
_KEPT = ("memory", "entity", "relationship")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Which bank the file was made of, and what it must hold."""

    organization: str
    bank: str
    settings: Mapping[str, Any]
    head_watermark: int
    head_hash: str
    counts: Mapping[str, int]


@dataclass(slots=True, kw_only=True)
class Reading:
    """One pass over a file, for the bank it is to go into.

    `head_hash` is the end of the ledger's chain sealed for that bank, once every row was taken.
    Memory: 16 bytes and a little more for each memory, entity and relationship.
    """

    file: IO[bytes]
    header: Header
    bank: Bank
    head_hash: str = GENESIS
    # The bytes of the file whose row was taken last.
    data: bytes = b""
    _theirs: str = GENESIS
    _seq: int = 0
    _known: dict[str, set[UUID]] = field(default_factory=lambda: {kind: set() for kind in _KEPT})

    def checked(self) -> Iterator[tuple[str, models.Model]]:
        """Unsaved rows of the bank, each checked. Raises `InvalidArgument` with the line."""
        counts: Counter[str] = Counter()
        for row in export.read_rows(self.file):
            counts[row.kind] += 1
            try:
                yield from self._row(row)
            except Unfit as error:
                raise refused(row.number, str(error)) from None
            except InvalidArgument as error:
                raise refused(row.number, error.message) from None
        if any(counts[kind] != self.header.counts.get(kind, 0) for kind in export.KINDS):
            raise refused(1, "counts are other than those of the rows.")
        if self._seq != self.header.head_watermark or self._theirs != self.header.head_hash:
            raise refused(1, "head_watermark or head_hash aren't those of the ledger's last entry.")

    def _row(self, row: Row) -> Iterator[tuple[str, models.Model]]:
        values = dict(row.values)
        content = _content(values) if row.kind == "ledger" else None
        encoded = values.pop("content", None) if row.kind == "file" else None
        found = read(row.kind, values)
        for name in _WATERMARKS:
            if _too_high(found.get(name), self.header.head_watermark):
                raise Unfit(f"{name} is {found[name]}, above the head_watermark of the header.")
        for name, kind, wanted in references(row.kind, found):
            if to_uuid(wanted.partition("_")[0], wanted) not in self._known[kind]:
                raise Unfit(f"{name} is {wanted}, which is no {kind} of this file.")
        if row.kind in self._known:
            self._remember(row.kind, found["id"])
        made = MODELS[row.kind](
            organization_id=self.bank.organization_id, bank_id=self.bank.id, **found
        )
        _check_digests(made)
        _check_expectation(made)
        if isinstance(made, File):
            self.data = _bytes_of(made, encoded)
        if isinstance(made, LedgerEntry):
            self._chain(made, content)
        yield row.kind, made
        if content is not None:
            yield "content", self._kept(content)

    def _remember(self, kind: str, shown: str) -> None:
        number = to_uuid(shown.partition("_")[0], shown)
        if number in self._known[kind]:
            raise Unfit(f"{shown} stands there twice.")
        self._known[kind].add(number)

    def _chain(self, entry: LedgerEntry, content: LedgerContent | None) -> None:
        """Prove the entry as the bank of origin sealed it, and seal it for this one."""
        theirs = copy(entry)
        theirs.organization_id, theirs.bank_id = self.header.organization, self.header.bank
        theirs.previous_hash = self._theirs
        theirs.hash = ledger.seal(theirs)
        wrong = ledger.fault(theirs, content, self._theirs, self._seq + 1)
        if wrong:
            raise Unfit(f"{wrong}.")
        self._theirs, self._seq = theirs.hash, entry.seq
        entry.previous_hash = self.head_hash
        entry.hash = self.head_hash = ledger.seal(entry)

    def _kept(self, content: LedgerContent) -> LedgerContent:
        content.organization_id, content.bank_id = self.bank.organization_id, self.bank.id
        content.seq = self._seq
        return content


def read_header(file: IO[bytes]) -> Header:
    """Raises `InvalidArgument` that names line 1."""
    given = export.read_header(file)
    try:
        counts = given["counts"]
        if set(counts) != set(export.kinds_of(given["version"])) or not all(
            type(n) is int for n in counts.values()
        ):
            raise ValueError("counts")
        header = Header(
            organization=canonical_id("org", given["organization"]),
            bank=canonical_id("bank", given["bank"]),
            settings=read_settings(given["settings"]),
            head_watermark=int(given["head_watermark"]),
            head_hash=str(given["head_hash"]),
            counts=counts,
        )
    except (KeyError, TypeError, ValueError, WrongIdPrefix, OverflowError):
        raise refused(1, "the header lacks what an export writes there.") from None
    return header


def _content(values: dict[str, Any]) -> LedgerContent | None:
    if "content" not in values and "salt" not in values:
        return None
    content, salt = values.pop("content", None), values.pop("salt", None)
    if not isinstance(content, dict) or not isinstance(salt, str) or len(salt) > 32:
        raise Unfit("content must be an object, with a salt of at most 32 characters.")
    try:
        return LedgerContent(content=storable(content), salt=storable(salt))
    except ValueError:
        raise Unfit("content holds a NUL character.") from None


def _bytes_of(file: File, encoded: object) -> bytes:
    try:
        data = b64decode(encoded if isinstance(encoded, str) else "!", validate=True)
        same = clean_path(file.path) == file.path
    except (ValueError, ProductError):
        raise Unfit("content of a file must be base 64, and its path a plain one.") from None
    if not same or file.size != len(data) or file.sha256 != sha256(data).hexdigest():
        raise Unfit("size, sha256 or path of a file don't fit its content.")
    return data


def _too_high(value: Any, head: int) -> bool:
    # A gap's `until` is an instant.
    return isinstance(value, int) and value > head


def _check_expectation(made: models.Model) -> None:
    """What is run or linked later must be what the product itself would keep."""
    if isinstance(made, MemoryTest):
        try:
            query_of(made)
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Unfit("options of a memory_test aren't those of a query.") from None
    elif isinstance(made, SavedView):
        if not made.shared or made.deleted_at is not None:
            raise Unfit("a saved_view must be shared, and not removed.")
        if clean_query(made.query) != made.query:
            raise Unfit("query of a saved_view isn't one that the list of memories knows.")


def _check_digests(made: models.Model) -> None:
    if isinstance(made, Memory):
        try:
            expected = storing.hash_of(made.content, made.stated, made.props)
        except (ValueError, TypeError, AttributeError):
            raise Unfit("stated of a memory isn't of its usual form.") from None
        if made.content_hash != expected:
            raise Unfit("content_hash isn't the hash of this memory's content.")
    elif isinstance(made, Cell) and made.digest != cell_digest(made.text):
        raise Unfit("digest isn't the digest of this cell's text.")
    elif isinstance(made, Entity) and (len(made.absent) % 2 or made.absent != sorted(made.absent)):
        raise Unfit("absent of an entity isn't pairs of watermarks in their order.")
