"""Changing many memories alike: chosen by id or by filter, in batches, with one undo for all."""

from memory_app.services.bulk.merging import Merged, merge
from memory_app.services.bulk.operations import (
    Report,
    begin,
    begin_decisions,
    carry_on,
    look,
    recent,
    report,
    undo,
)
from memory_app.services.bulk.selection import Preview, Selection, parse_selection

__all__ = [
    "Merged",
    "Preview",
    "Report",
    "Selection",
    "begin",
    "begin_decisions",
    "carry_on",
    "look",
    "merge",
    "parse_selection",
    "recent",
    "report",
    "undo",
]
