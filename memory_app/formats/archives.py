"""Zip archives of untrusted origin, one member in memory at a time, nothing ever written out.

Every limit holds for what really comes out, not for what the archive claims: a member is read in
pieces and given up where it or the sum passes its limit. Names are only shown, never opened.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from memory_app.domain.errors import InvalidArgument

MEMBERS_LIMIT = 20_000
MEMBER_BYTES = 32 * 1024 * 1024
TOTAL_BYTES = 192 * 1024 * 1024
# Text packs to a tenth, a very repetitive log to a fiftieth.
RATIO_LIMIT = 200
RATIO_FROM = 1024 * 1024
DIRECTORY_BYTES = 4 * 1024 * 1024
MAGIC = b"PK\x03\x04"
_NESTED = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"BZh", b"\xfd7zXZ", b"Rar!")
_END = b"PK\x05\x06"
_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive: its bytes, or why it isn't read."""

    name: str
    data: bytes = b""
    problem: str = ""


def is_zip(head: bytes) -> bool:
    return head.startswith((MAGIC, _END))


def members(file: IO[bytes]) -> Iterator[Member]:
    """Every file of the archive by name. Raises `InvalidArgument` for a broken archive, for more
    than 20,000 members, and as soon as more than 192 MB came out.
    """
    _check_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error):
        raise _refused("The zip archive can't be read; it is damaged or cut off.") from None
    with archive:
        infos = sorted(archive.infolist(), key=lambda info: info.filename)
        if len(infos) > MEMBERS_LIMIT:
            raise _refused(
                f"The zip archive has {len(infos):,} entries; {MEMBERS_LIMIT:,} at most."
            )
        left = TOTAL_BYTES
        for info in infos:
            if info.is_dir() or _is_clutter(info.filename):
                continue
            problem = _objection(info)
            if problem:
                yield Member(name=_shown(info.filename), problem=problem)
                continue
            member = _read(archive, info, left)
            left -= len(member.data)
            yield member


def _check_directory(file: IO[bytes]) -> None:
    """Look at the size of the list of entries before it is read: it may name millions."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - 65_557))
    tail = file.read()
    place = tail.rfind(_END)
    file.seek(0)
    if place < 0 or len(tail) < place + 22:
        raise _refused("The zip archive can't be read; it is damaged or cut off.")
    entries, directory = struct.unpack("<HI", tail[place + 10 : place + 16])
    if entries > MEMBERS_LIMIT or directory > DIRECTORY_BYTES:
        raise _refused(f"The zip archive has too many entries; {MEMBERS_LIMIT:,} at most.")


def _objection(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link, not a file"
    path = info.filename.replace("\\", "/")
    if path.startswith("/") or ".." in PurePosixPath(path).parts or ":" in path.partition("/")[0]:
        return "its name points outside the archive"
    if info.file_size > MEMBER_BYTES:
        return f"it is larger than {MEMBER_BYTES // 1024 // 1024} MB"
    if info.file_size > RATIO_FROM and info.file_size > RATIO_LIMIT * max(1, info.compress_size):
        return "it is packed far too tightly to be text"
    return ""


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> Member:
    name, size = _shown(info.filename), 0
    pieces: list[bytes] = []
    try:
        with archive.open(info) as handle:
            while piece := handle.read(_PIECE):
                size += len(piece)
                if size > left:
                    raise _refused(
                        f"More than {TOTAL_BYTES // 1024 // 1024} MB come out of the zip archive."
                    )
                if size > MEMBER_BYTES:
                    return Member(name=name, problem="more comes out of it than it claims")
                if not pieces and piece.startswith(_NESTED):
                    return Member(name=name, problem="an archive inside an archive isn't opened")
                pieces.append(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        return Member(name=name, problem="it is damaged, or packed in an unusual way")
    return Member(name=name, data=b"".join(pieces))


def _is_clutter(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return hidden or "__MACOSX" in parts or (bool(parts) and parts[-1] == "Thumbs.db")


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in name)[:200]


def _refused(message: str) -> InvalidArgument:
    return InvalidArgument(
        message, hint="Pack fewer or smaller text files. Nothing was stored.", field="file"
    )
