from __future__ import annotations

from dataclasses import replace

from django.http import HttpResponseBase
from django.views.decorators.http import require_GET

from dashboard.forms.bulk import read_picked
from dashboard.place import Place, screen
from dashboard.views.bulk import entity_of
from memory_app.domain.errors import InvalidArgument
from memory_app.rest.streaming import download
from memory_app.services.portability import export_csv, export_jsonl, export_markdown

KINDS = {
    "csv": (export_csv, "memories.csv", "text/csv"),
    "markdown": (export_markdown, "memories.zip", "application/zip"),
    "jsonl": (export_jsonl, "memories.jsonl", "application/jsonl"),
}


@require_GET
@screen
def index(place: Place) -> HttpResponseBase:
    """The selected memories as a file."""
    given = place.request.GET
    if given.get("format") not in KINDS:
        raise InvalidArgument(
            "There is no such file.", hint=f"Choose one of {', '.join(KINDS)}.", field="format"
        )
    picked = read_picked(given)
    chosen = picked.selection(entity_of(place, picked))
    write, name, media_type = KINDS[given["format"]]
    actor = replace(place.actor, tool="export_memories")
    return download(
        write(actor, place.bank, chosen), name=f"{place.bank}-{name}", media_type=media_type
    )
