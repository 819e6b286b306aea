"""The files a bank can be exported to."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportChoice:
    name: str
    icon: str
    file: str
    text: str
    url: str
    primary: bool = False


def present_exports(place: Place) -> tuple[ExportChoice, ...]:
    return (
        ExportChoice(
            name="Everything",
            icon="database-backup",
            file="JSON lines",
            text="History, graph, ledger, retired and binned memories, appendix files. Taken into an "
            "empty bank it is the same bank again.",
            url=place.url("export-file", "jsonl"),
            primary=True,
        ),
        ExportChoice(
            name="Notes",
            icon="file-archive",
            file="Zip of Markdown files",
            text="One file a live memory, with its tags, category and dates in front matter. Opens in "
            "any notes app.",
            url=place.url("export-file", "markdown"),
        ),
        ExportChoice(
            name="Table",
            icon="sheet",
            file="CSV",
            text="One row a live memory, for spreadsheets. Cells that look like formulas are made "
            "harmless.",
            url=place.url("export-file", "csv"),
        ),
    )
