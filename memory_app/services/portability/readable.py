"""A bank's live memories for people and other tools: a CSV table, or a zip of Markdown files.

Both can be imported again; what only the bank's own file carries (history, graph, ledger, retired
and binned memories, appendix files) is left out.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.text import slug
from memory_app.domain.times import iso
from memory_app.formats.commonplace import COLUMNS, MARK, defused
from memory_app.models import Memory
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import MemoryFilter
from memory_app.services.bulk.selection import Selection, rows_of
from memory_app.services.memories.storing import local_observed
from memory_app.services.replies import memory_reply

_BATCH = 200


def export_csv(actor: Actor, bank: str | None, chosen: Selection | None = None) -> Iterator[bytes]:
    """A header and one row a memory, in UTF-8 with a byte-order mark, for spreadsheets.

    Reads in batches inside one snapshot, which stays open until the last line was taken. Needs the
    tier full.
    """
    with acting_as(actor, snapshot=True):
        access = _allowed(actor, bank)
        yield "\ufeff".encode() + _row(COLUMNS)
        for memory in _memories(access, chosen):
            cells = _cells(memory)
            yield _row([defused(cells.get(name, "")) for name in COLUMNS])


def export_markdown(
    actor: Actor, bank: str | None, chosen: Selection | None = None
) -> Iterator[bytes]:
    """A zip archive with one file a memory, in a folder for each collection; as `export_csv`."""
    with acting_as(actor, snapshot=True):
        access = _allowed(actor, bank)
        pipe = _Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
            for memory in _memories(access, chosen):
                folder = slug(memory.collection, fallback="") if memory.collection else ""
                path = "/".join(part for part in (folder, f"{memory.slug}.md") if part)
                archive.writestr(path, _note(memory))
                yield pipe.taken()
        yield pipe.taken()


def export_jsonl(actor: Actor, bank: str | None, chosen: Selection) -> Iterator[bytes]:
    """One memory a line, as the API shows it; as `export_csv`."""
    with acting_as(actor, snapshot=True):
        access = _allowed(actor, bank)
        for memory in _memories(access, chosen):
            line = json.dumps(memory_reply(memory), ensure_ascii=False)
            yield line.encode() + b"\n"


class _Pipe(io.RawIOBase):
    """What the archive writes, to be taken piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def _allowed(actor: Actor, bank: str | None) -> Access:
    access = resolve(actor, bank)
    access.require("full")
    return access


def _memories(access: Access, chosen: Selection | None) -> Iterator[Memory]:
    """The chosen memories, or else the live ones, in the order they were made."""
    after = None
    while True:
        rows = rows_of(access, chosen or Selection(where=MemoryFilter()))
        if after is not None:
            rows = rows.filter(id__gt=after)
        batch = list(rows.order_by("id")[:_BATCH])
        yield from batch
        if len(batch) < _BATCH:
            return
        after = batch[-1].id


def _cells(memory: Memory) -> dict[str, str]:
    names = ("id", "title", "content", "category", "collection", "source", "project", "session")
    cells = {name: str(getattr(memory, name)) for name in names}
    return cells | {
        "tags": ", ".join(memory.tags),
        "confidence": memory.confidence,
        "observed_at": _observed(memory),
        "pinned": "yes" if memory.pinned_at else "",
        "author": memory.author_name or memory.author,
        "created_at": iso(memory.created_at),
        "props": json.dumps(memory.props, ensure_ascii=False) if memory.props else "",
    }


def _observed(memory: Memory) -> str:
    moment = local_observed(memory)
    return iso(moment) if moment else memory.observed_text


def _note(memory: Memory) -> str:
    cells = _cells(memory)
    head = [f"{MARK}: memory"]
    for name in COLUMNS:
        value = cells.get(name, "")
        if name == "tags" and memory.tags:
            head.append(f"tags: [{', '.join(map(_quoted, memory.tags))}]")
        elif value and name not in ("content", "tags"):
            head.append(f"{name}: {_quoted(value)}")
    lines = "\n".join(head)
    return f"---\n{lines}\n---\n\n{memory.content}\n"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _row(cells: Any) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().encode()
