"""Importing what people have already: a paste at once, files in steps that survive any crash (E9,
F7). Doors call these and nothing else."""

from accounts.actor import Actor
from memory_app.services.importing.checking import check
from memory_app.services.importing.choosing import (
    LINES_SHOWN,
    cancel,
    configure,
    done_of,
    errors_of,
    find_import,
    forget_drafts,
    list_imports,
    list_lines,
    report_of,
    resume,
)
from memory_app.services.importing.lines import ImportReport, Line
from memory_app.services.importing.pacing import Pace, goes_on_at, pace_of
from memory_app.services.importing.pasting import ITEMS_LIMIT, run_import
from memory_app.services.importing.receiving import (
    UPLOAD_BYTES,
    Upload,
    clean_filename,
    receive,
)
from memory_app.services.importing.running import start
from memory_app.services.importing.staging import LINES_LIMIT
from memory_app.services.importing.undoing import undo
from memory_app.services.importing.working import MOVING, is_stale, perform

__all__ = [
    "ITEMS_LIMIT",
    "LINES_LIMIT",
    "LINES_SHOWN",
    "MOVING",
    "UPLOAD_BYTES",
    "ImportReport",
    "Line",
    "Pace",
    "Upload",
    "cancel",
    "check",
    "clean_filename",
    "configure",
    "done_of",
    "errors_of",
    "find_import",
    "forget_drafts",
    "goes_on_at",
    "is_stale",
    "list_imports",
    "list_lines",
    "pace_of",
    "perform",
    "receive",
    "report_of",
    "resume",
    "run_import",
    "start",
    "undo",
    "undo_import",
]


def undo_import(actor: Actor, bank: str | None, import_id: str) -> ImportReport:
    """Undo, answered by the report as it stands then."""
    undo(actor, bank, import_id)
    return report_of(actor, bank, import_id)
