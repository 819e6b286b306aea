"""Appendix files: which paths are allowed, and what bytes are, whatever their name says."""

from __future__ import annotations

import json
import re
import unicodedata

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.text import clean

PATH_LIMIT = 500
SEGMENT_LIMIT = 200
DEPTH_LIMIT = 20
DESCRIPTION_LIMIT = 2_000
# So much of the beginning tells what a file is.
HEAD = 4_096
OCTETS = "application/octet-stream"
# Types that a browser shows without running anything; all others are handed out as octets.
SAFE_TYPES = frozenset(
    (
        "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/plain",
        "text/markdown", "text/csv", "application/json", "application/zip", "application/gzip",
    )
)  # fmt: skip

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_MARKUP = re.compile(
    r"<\s*(?:!doctype\s+html|html|head|body|script|iframe|svg|style|img|a|meta|link|object|embed)\b",
    re.IGNORECASE,
)
_BY_NAME = {"md": "text/markdown", "markdown": "text/markdown", "csv": "text/csv"}
_DRIVE = re.compile(r"^[A-Za-z]:")
_RESERVED = re.compile(r"^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def clean_path(value: object, *, field: str = "path") -> str:
    """A relative path such as `minutes/may.md`, NFC. Raises `InvalidArgument` for a hostile one.

    Refused: an absolute path or a drive, `.` and `..`, empty parts, backslashes, control and
    direction characters, names that a file system reserves, parts that end in a dot or a space.
    """
    path = clean(value, field=field, limit=PATH_LIMIT, least=1, lines=False)
    if path != str(value).strip():
        path = unicodedata.normalize("NFC", path)
    parts = path.split("/")
    reason = _unfit(path, parts)
    if reason:
        raise InvalidArgument(
            f"{field} {path!r:.120} {reason}.",
            hint="Send a relative path such as 'minutes/2026/may.md'.",
            field=field,
        )
    return path


def sniff(head: bytes, filename: str, *, whole: bool) -> str:
    """The type that the first bytes show; `whole` says that they are all there are.

    Anything that a browser could take for a page is `text/html`, whatever the file is called.
    """
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    text = _text(head, whole=whole)
    if text is None:
        return OCTETS
    if _MARKUP.search(text):
        return "text/html"
    if text.lstrip().startswith("<?xml"):
        return "application/xml"
    suffix = filename.rpartition(".")[2].casefold()
    if suffix == "json" and whole and _is_json(text):
        return "application/json"
    return _BY_NAME.get(suffix, "text/plain")


def served_as(kind: str) -> str:
    """The content type under which a file of that kind leaves the server."""
    if kind not in SAFE_TYPES:
        return OCTETS
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def _unfit(path: str, parts: list[str]) -> str:
    if path.startswith("/") or _DRIVE.match(path):
        return "must be relative"
    if "\\" in path:
        return "must not contain a backslash"
    if any(unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn") for character in path):
        return "contains a control or an invisible character"
    if any(part in ("", ".", "..") for part in parts):
        return "must not contain empty parts, '.' or '..'"
    if any(part.endswith((".", " ")) or part.startswith(" ") for part in parts):
        return "has a part that begins or ends with a space, or ends with a dot"
    if any(_RESERVED.match(part) for part in parts):
        return "uses a name that file systems reserve"
    if any(set(part) & set('<>:"|?*') for part in parts):
        return 'must not contain any of < > : " | ? *'
    if any(len(part) > SEGMENT_LIMIT for part in parts) or len(parts) > DEPTH_LIMIT:
        return f"has a part over {SEGMENT_LIMIT} characters, or over {DEPTH_LIMIT} parts"
    return ""


def _text(head: bytes, *, whole: bool) -> str | None:
    """The beginning as text, or None for what isn't UTF-8 text."""
    if b"\x00" in head:
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The last character may have been cut through.
        if whole or error.start < len(head) - 3:
            return None
        return head[: error.start].decode("utf-8-sig")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
