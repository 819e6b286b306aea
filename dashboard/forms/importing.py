"""What the import screen's forms send: files and pasted text as uploads, a mapping of columns."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import QueryDict

from dashboard.http import Request
from memory_app.domain.errors import InvalidArgument
from memory_app.formats import read_import
from memory_app.services.importing import ITEMS_LIMIT, Upload

PASTED = "Pasted text"
_COLUMN = "column-"


def read_uploads(request: Request) -> list[Upload]:
    """The files that were dropped, else what was pasted. Raises `InvalidArgument` for neither, and
    for more than 500 pasted memories.
    """
    files = [
        Upload(name=file.name or "file", chunks=file.chunks())
        for file in request.FILES.getlist("files")
    ]
    text = request.POST.get("lines", "")
    if files:
        return files
    if not text.strip():
        raise InvalidArgument(
            "There is nothing to import yet.",
            hint="Paste some lines, or choose a file.",
            field="lines",
        )
    number = len(read_import(text, form=request.POST.get("format", "")).wanted)
    if number > ITEMS_LIMIT:
        raise InvalidArgument(
            f"That is {number:,} memories; at most {ITEMS_LIMIT} can be pasted at a time.",
            hint="Save it as a file and drop that here, or paste it in parts.",
            field="lines",
            details={"limit": ITEMS_LIMIT, "number": number},
        )
    return [Upload(name=PASTED, chunks=_encoded(text))]


def read_mapping(form: QueryDict) -> tuple[str, dict[int, str] | None]:
    """The chosen format, and what the column at each place becomes; None where there are none."""
    chosen = {
        int(name.removeprefix(_COLUMN)): value
        for name, value in form.items()
        if name.startswith(_COLUMN) and name.removeprefix(_COLUMN).isdecimal()
        if isinstance(value, str) and len(name) < 12
    }
    return form.get("format", ""), chosen or None


def _encoded(text: str) -> Iterator[bytes]:
    yield text.encode("utf-8", "replace")
