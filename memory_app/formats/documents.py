"""An uploaded file as texts: itself, or every file of a zip archive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from memory_app.domain.errors import InvalidArgument
from memory_app.formats.archives import MEMBER_BYTES, is_zip, members
from memory_app.formats.decoding import decode

# Its lines would be markup; the archives of some assistants hold one beside the data.
_PAGE = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html)\b", re.I | re.S
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text with its name and the encoding it was in; or why it can't be read."""

    name: str
    text: str = ""
    encoding: str = ""
    problem: str = ""


def documents_of(name: str, file: IO[bytes]) -> Iterator[Document]:
    """One after the other, one in memory at a time. Raises `InvalidArgument` for a broken archive."""
    file.seek(0)
    if is_zip(file.read(4)):
        for member in members(file):
            yield _document(member.name, member.data, member.problem)
        return
    file.seek(0)
    data = file.read(MEMBER_BYTES + 1)
    problem = ""
    if len(data) > MEMBER_BYTES:
        problem = (
            f"it is larger than {MEMBER_BYTES // 1024 // 1024} MB; split it, or zip parts of it"
        )
    yield _document(name, data, problem)


def _document(name: str, data: bytes, problem: str) -> Document:
    if problem:
        return Document(name=name, problem=problem)
    try:
        text, encoding = decode(data)
    except InvalidArgument as refusal:
        return Document(name=name, problem=refusal.message)
    if _PAGE.match(text):
        return Document(name=name, problem="It is a web page; save it as text, or export the data.")
    return Document(name=name, text=text, encoding=encoding)
