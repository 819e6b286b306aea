"""Family S: what people paste."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from memory_app.services.importing import pasting
from tests.cases.stage import Stage


def line_ends_are_line_ends(stage: Stage) -> None:
    """124: every kind of line end, mixed, the last line without one."""
    ends = ["\r\n", "\r", "\n", "\u2028", "\v", "\n"]
    lines = [f"Reading {number} is {number * 7} degrees." for number in range(len(ends) + 1)]
    pasted = "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))

    report = imported(stage, "\ufeff" + pasted)

    assert report["counts"] == {"created": len(lines)}
    assert sorted(contents(stage)) == sorted(lines)
    again = imported(stage, "\n".join(lines))
    assert again["counts"] == {"known": len(lines)}


def only_list_markers_are_stripped(stage: Stage) -> None:
    """126: small and sequential; a year and a date stay."""
    year, first, second, date = stage.quoted

    imported(stage, "\n".join([year, date]))
    imported(stage, first.replace("frozen", "released"))
    imported(stage, second)

    assert sorted(contents(stage)) == sorted([year, date, "Budget released.", "x"])


def all_markers_are_stripped(stage: Stage) -> None:
    """128: one to a hundred and twenty, bullets and boxes, nested."""
    numbered = [f"{number}. Crate {number} weighs {number * 2} kilos." for number in range(1, 121)]
    marks = ["•", "–", "- [ ]", "- [x]", "*", "  •"]
    marked = [f"{mark} Shelf {n} is {n * 9} high." for n, mark in enumerate(marks)]
    lettered = [f"{letter}) Aisle {letter} is closed." for letter in "abc"]

    for pasted in (numbered, marked, lettered):
        imported(stage, "\n".join(pasted))

    expected = [f"Crate {number} weighs {number * 2} kilos." for number in range(1, 121)]
    expected += [f"Shelf {n} is {n * 9} high." for n in range(len(marks))]
    expected += [f"Aisle {letter} is closed." for letter in "abc"]
    assert sorted(contents(stage)) == sorted(expected)


def markdown_is_read_by_lines(stage: Stage) -> None:
    """130: what looks like JSON for a line doesn't make the whole fail."""
    pasted = "\n".join(
        [
            "---",
            "title: Notes",
            "---",
            "# Heading",
            "",
            "- The pump is blue.",
            "```python",
            "print('inside a fence')",
            "```",
            "| a | b |",
            "|---|---|",
            '{"looks": "like JSON"}',
            "{",
            "The valve is green.",
        ]
    )

    report = imported(stage, pasted)

    assert {"The pump is blue.", "The valve is green."} <= set(contents(stage))
    assert all(row["outcome"] in ("created", "skipped") for row in report["lines"])
    assert all(row.get("reason") for row in report["lines"] if row["outcome"] == "skipped")


def stray_quote_swallows_nothing(stage: Stage) -> None:
    """132: five hundred lines are five hundred memories."""
    lines = [f"Station {number} measured {number * 2} inches." for number in range(500)]
    lines[2] = f"Station 2 saw {stage.quoted[0]}."

    report = imported(stage, "\n".join(lines))

    assert report["counts"] == {"created": 500}
    assert lines[2] in contents(stage, text="Station 2 saw")


def import_is_whole_or_absent(stage: Stage) -> None:
    """134: a failure in the middle leaves nothing; a batch is listed and can be undone."""
    pasted = "\n".join(f"Barrel {number} holds {number * 4} litres." for number in range(300))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pasting, "_record", _fail)
        failed = stage.rest.client.post("imports", {"text": pasted})
    too_many = stage.rest.ask("POST", "imports", {"text": f"x\n{pasted}\n" + pasted * 2})
    nothing = stage.rest.ask("POST", "imports", {"text": " \n"})
    absent = contents(stage)

    report = imported(stage, pasted)
    undone = stage.rest.ask("POST", f"imports/{report['import_id']}/undo").body

    assert failed.status_code == 503
    assert (too_many.code, nothing.code) == ("invalid_argument", "invalid_argument")
    assert absent == []
    assert undone["status"] == "undone"
    assert contents(stage) == []
    assert len(stage.rest.ask("GET", "imports").body["imports"]) == 1


def no_tags_are_made_of_text(stage: Stage) -> None:
    """136: code, addresses and issue numbers stay text."""
    pasted = f"See {' '.join(stage.quoted)} and write to ann@example.com."

    imported(stage, pasted)
    stage.door.save(f"The gardener waters the roses; {stage.quoted[-1]} asked for it.")

    assert [row["tags"] for row in stage.listed()] == [[], []]
    assert pasted in contents(stage)
    assert stage.rest.ask("GET", "tags").body["tags"] == []


def imported(stage: Stage, text: str) -> dict[str, Any]:
    outcome = stage.rest.ask("POST", "imports", {"text": text})
    assert not outcome.code, outcome.message
    return outcome.body


def contents(stage: Stage, **filters: Any) -> list[str]:
    """Of up to two hundred."""
    return [row["content"] for row in stage.listed(**filters)]


def _fail(*_: Any) -> None:
    raise OperationalError("gone in the middle")


REPLAYS = {
    124: line_ends_are_line_ends,
    126: only_list_markers_are_stripped,
    128: all_markers_are_stripped,
    130: markdown_is_read_by_lines,
    132: stray_quote_swallows_nothing,
    134: import_is_whole_or_absent,
    136: no_tags_are_made_of_text,
}
