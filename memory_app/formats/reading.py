from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.formats import assistants, commonplace, json_list, mcp_memory, mem0, zep
from memory_app.formats.basic_memory import read_basic_memory
from memory_app.formats.csv_table import read_csv
from memory_app.formats.detecting import FORMATS, detect
from memory_app.formats.items import Item, Reading
from memory_app.formats.lines import read_lines
from memory_app.formats.mapping import check, samples_of
from memory_app.formats.markdown import read_markdown

TEXT_LIMIT = 8_000_000

Mapped = Mapping[str, str]


def read_import(text: object, *, form: str = "", mapping: Mapped | None = None) -> Reading:
    """The items of pasted text: a JSON list, JSON lines, plain lines, or an export that is known by
    its shape; `form` names one of `FORMATS` instead.

    Raises `InvalidArgument` for what isn't text and for broken JSON, `ContentTooLong` above 8
    million characters. Nothing else is refused here: every item is judged by itself later.
    """
    if not isinstance(text, str):
        raise InvalidArgument(
            "text must be a string.", hint="Send the pasted text as one JSON string.", field="text"
        )
    if len(text) > TEXT_LIMIT:
        raise ContentTooLong(
            f"text has {len(text):,} characters; the limit is {TEXT_LIMIT:,}.",
            hint="Split the import; at most 500 memories go into one.",
            field="text",
            details={"limit": TEXT_LIMIT, "length": len(text)},
        )
    return read_document(text, form=form, mapping=mapping)


def read_document(
    text: str, *, name: str = "", form: str = "", mapping: Mapped | None = None
) -> Reading:
    """The items of one file's text. `name` helps to tell formats apart."""
    if form and form not in FORMATS:
        raise InvalidArgument(
            f"There is no format {form!r:.40}.",
            hint=f"Choose one of {', '.join(FORMATS)}, or leave it out.",
            field="format",
        )
    chosen = form or detect(text, name)
    if chosen == "csv":
        return read_csv(text, mapping)
    if chosen in ("", "json", "json_lines"):
        of_lines = PurePosixPath(name).suffix.casefold() in (".jsonl", ".ndjson")
        return _plain(text, chosen, mapping, of_lines=of_lines)
    return Reading(format=chosen, items=_special(chosen, text, name))


def read_items(values: object, *, mapping: Mapped | None = None) -> Reading:
    """The items of a list that came in parsed, as a REST body carries it."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise InvalidArgument(
            "items must be a list.",
            hint='Send items as ["first", {"content": "second"}].',
            field="items",
        )
    return _listed("json", list(enumerate(values, start=1)), mapping)


def parse_import(text: str) -> list[Item]:
    """The items alone, for a preview."""
    return list(read_import(text).items)


def _plain(text: str, form: str, mapping: Mapped | None, *, of_lines: bool) -> Reading:
    """A JSON list, JSON lines or plain lines; a form that was named must fit. A file whose name says
    that it holds JSON lines may be told wrong.
    """
    loosely = of_lines or form == "json_lines" or mapping is not None
    rows = json_list.read_json_lines(text, loosely=True) if of_lines and not form else None
    if rows is not None and len(rows) > 1:
        return _listed("json_lines", rows, mapping)
    if form != "json_lines" and (values := json_list.read_json(text)) is not None:
        return _listed("json", values, mapping)
    if form != "json" and (rows := json_list.read_json_lines(text, loosely=loosely)) is not None:
        return _listed("json_lines", rows, mapping)
    if form:
        raise InvalidArgument(
            f"The text can't be read as {FORMATS[form]}.",
            hint="Choose another format, or let it be found.",
            field="format",
        )
    return Reading(format="lines", items=read_lines(text))


def _listed(form: str, values: list[tuple[int, Any]], mapping: Mapped | None) -> Reading:
    columns = json_list.columns_of(values[:200])
    chosen = check(mapping, columns) if mapping and columns else None
    records = (value for _, value in values if isinstance(value, Mapping))
    return Reading(
        format=form,
        items=json_list.items_of(values, chosen),
        columns=columns,
        mapping=chosen or json_list.default_mapping(columns),
        samples=tuple(samples_of(records, columns)),
    )


def _special(form: str, text: str, name: str) -> tuple[Item, ...]:
    if form == "lines":
        return read_lines(text)
    if form == "markdown":
        return read_markdown(text)
    if form == "basic_memory":
        return read_basic_memory(text, name)
    if form == "chatgpt":
        return assistants.read_chatgpt(text)
    if form == "commonplace" and commonplace.is_memory_file(text):
        return commonplace.read_memory_file(text)
    value = _json_or_none(text)
    if form == "claude":
        is_export = assistants.is_claude_export(value)
        return assistants.read_claude_export(value) if is_export else assistants.read_claude(text)
    if form == "mem0" and value is not None and not mem0.is_mem0_row(value):
        return mem0.read_mem0(value)
    if form == "zep" and value is not None:
        return zep.read_zep(value)
    if form == "commonplace":
        rows = json_list.read_json_lines(text, loosely=True) or []
        json_list.refuse_torn(rows)
    else:
        rows = [(1, value)] if mcp_memory.is_graph(value) else json_list.read_each_line(text)
    known = [row for _, row in rows if isinstance(row, Mapping)]
    if not known or form not in ("mem0", "mcp_memory", "commonplace"):
        raise InvalidArgument(
            f"The text can't be read as {FORMATS[form]}.",
            hint="Choose another format, or let it be found.",
            field="format",
        )
    if form == "mem0":
        return mem0.read_mem0_rows(rows)
    if form == "mcp_memory":
        return mcp_memory.read_graph_rows(rows)
    return commonplace.read_bank(rows)


def _json_or_none(text: str) -> Any:
    body = text.lstrip("\ufeff \t\r\n")
    if body[:1] not in ("[", "{"):
        return None
    try:
        return parse_notation(body)
    except RepeatedName as repeated:
        raise InvalidArgument(
            f"The JSON can't be read: {repeated}.", hint="Give it once.", field="text"
        ) from None
    except (ValueError, RecursionError):
        return None
