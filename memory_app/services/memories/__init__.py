"""Every way a memory changes. Each public function is one intention: permission, change, ledger
entry and after-commit work in one transaction; doors call these and nothing else."""

from memory_app.services.memories.admitting import Admission, admission
from memory_app.services.memories.curating import (
    Deleted,
    delete,
    erase,
    forget,
    restore,
    retire,
    revive,
)
from memory_app.services.memories.editing import edit
from memory_app.services.memories.indexing import index_pending
from memory_app.services.memories.pinning import confirm_pin, pin, undo_pin, unpin
from memory_app.services.memories.saving import Saved, save, save_many

__all__ = [
    "Admission",
    "Deleted",
    "Saved",
    "admission",
    "confirm_pin",
    "delete",
    "edit",
    "erase",
    "forget",
    "index_pending",
    "pin",
    "restore",
    "retire",
    "revive",
    "save",
    "save_many",
    "undo_pin",
    "unpin",
]
