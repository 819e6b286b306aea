"""A whole bank as a file, and a file as a whole bank."""

from memory_app.services.portability.exporting import export_bank
from memory_app.services.portability.importing import Imported, import_bank
from memory_app.services.portability.readable import (
    export_csv,
    export_jsonl,
    export_markdown,
)

__all__ = [
    "Imported",
    "export_bank",
    "export_csv",
    "export_jsonl",
    "export_markdown",
    "import_bank",
]
