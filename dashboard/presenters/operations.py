"""Ledger operations in plain words: the ledger stores facts, people read sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """`did` is followed by the memory, where there is one; `title` names the operation in a filter."""

    icon: str
    did: str
    title: str


_WORDS = {
    "create": ("plus", "saved", "Saved"),
    "import": ("import", "imported", "Imported a memory"),
    "merge": ("merge", "merged a repeat into", "Merged a repeat"),
    "update": ("pencil", "edited", "Edited"),
    "edit": ("tags", "changed the tags of", "Changed tags"),
    "relate": ("tags", "changed how it relates:", "Changed relations"),
    "pin": ("pin", "pinned", "Pinned"),
    "unpin": ("pin-off", "unpinned", "Unpinned"),
    "confirm_pin": ("pin", "confirmed the pin of", "Confirmed a pin"),
    "undo_pin": ("undo-2", "took a change of the pin back of", "Took a change of a pin back"),
    "retire": ("archive", "retired", "Retired"),
    "supersede": ("archive", "replaced", "Replaced"),
    "revive": ("archive-restore", "revived", "Revived"),
    "forget": ("trash-2", "deleted", "Deleted"),
    "restore": ("undo-2", "restored", "Restored"),
    "erase": ("eraser", "erased", "Erased"),
    "purge": ("eraser", "purged what had outlived its time", "Purged"),
    "index": ("scan-text", "indexed", "Indexed"),
    "recall_save": ("thumbs-up", "said it was helped by", "Said a memory helped"),
    "graph_link": ("link", "linked", "Linked automatically"),
    "link": ("link", "linked", "Linked"),
    "unlink": ("unlink", "took a link off", "Took a link off"),
    "edge_cascade_forget": ("unlink", "ended the links of", "Ended links"),
    "auto_link_skipped": ("unlink", "left unlinked", "Left unlinked"),
    "orphan_gc": ("unlink", "removed what nothing backs any more", "Removed the unbacked"),
    "graph_update": ("waypoints", "changed the graph", "Changed the graph"),
    "entity_create": ("shapes", "added an entity", "Added an entity"),
    "entity_update": ("shapes", "described an entity anew", "Described an entity"),
    "merge_entities": ("git-merge", "merged two entities", "Merged entities"),
    "reject_merge": ("split", "kept two entities apart", "Kept entities apart"),
    "undo_merge": ("undo-2", "took an entity merge back", "Took an entity merge back"),
    "consolidate": ("layers", "looked for entities that are one", "Looked for repeats"),
    "propose": ("scale", "asked for a decision", "Asked for a decision"),
    "decide": ("scale", "decided a question", "Decided a question"),
    "undo_decision": ("undo-2", "took a decision back", "Took a decision back"),
    "run_import": ("import", "ran an import", "Ran an import"),
    "undo_import": ("undo-2", "undid an import", "Undid an import"),
    "store_file": ("file-plus", "stored a file", "Stored a file"),
    "bin_file": ("trash-2", "put a file into the bin", "Binned a file"),
    "restore_file": ("undo-2", "took a file out of the bin", "Restored a file"),
    "delete_file": ("file-x", "deleted a file", "Deleted a file"),
    "document_queue": ("file-clock", "queued a document", "Queued a document"),
    "document_close": ("file-check", "closed a document", "Closed a document"),
    "rename_entity": ("shapes", "renamed an entity", "Renamed an entity"),
    "add_alias": ("tag", "gave an entity another name", "Added an alias"),
    "remove_alias": ("tag", "took a name from an entity", "Removed an alias"),
    "split_entity": ("split", "split an entity", "Split an entity"),
    "undo_entity_change": ("undo-2", "took an entity’s change back", "Took an entity change back"),
    "causal_hint": ("waypoints", "noted what may have caused", "Noted a cause"),
    "causal_hint_clear": ("undo-2", "cleared the noted cause of", "Cleared a cause"),
    "bulk_change": ("list-checks", "changed many memories at once", "Changed many"),
    "undo_bulk_change": ("undo-2", "took a change of many back", "Took a change of many back"),
    "merge_memories": ("merge", "merged others into", "Merged memories"),
    "unmerge": ("undo-2", "took a merge back of", "Took a merge back"),
    "save_view": ("bookmark", "saved a view", "Saved a view"),
    "undo_view_change": ("undo-2", "took a view’s change back", "Took a view’s change back"),
    "change_view": ("bookmark", "changed a saved view", "Changed a view"),
    "remove_view": ("bookmark-x", "removed a saved view", "Removed a view"),
    "restore_view": ("undo-2", "brought a saved view back", "Brought a view back"),
    "create_test": ("flask-conical", "wrote a memory test", "Wrote a test"),
    "change_test": ("flask-conical", "changed a memory test", "Changed a test"),
    "delete_test": ("flask-conical-off", "removed a memory test", "Removed a test"),
    "restore_test": ("undo-2", "brought a memory test back", "Brought a test back"),
    "answer_gap": ("message-circle-question-mark", "answered an open question", "Answered a gap"),
    "snooze_gap": ("message-circle-question-mark", "put an open question off", "Put a gap off"),
    "dismiss_gap": (
        "message-circle-question-mark",
        "dismissed an open question",
        "Dismissed a gap",
    ),
    "undo_gap": ("undo-2", "opened a question again", "Opened a gap again"),
    "bank.reembedding_started": ("binary", "began to embed the bank anew", "Began re-embedding"),
    "bank.reembedded": ("binary", "switched to another model", "Switched the model"),
    "bank.reembedding_dropped": ("binary", "dropped another model’s vectors", "Dropped vectors"),
    "bank.deleted": ("trash-2", "deleted this bank", "Deleted the bank"),
    "bank.restored": ("undo-2", "restored this bank", "Restored the bank"),
    "bank.purged": ("eraser", "erased this bank", "Erased the bank"),
    "bank.created": ("library-big", "made this bank", "Made the bank"),
    "bank.updated": ("sliders-horizontal", "changed the bank’s settings", "Changed settings"),
}


def words_of(operation: str) -> Words:
    """An operation without words of its own shows its name; a test keeps that from happening."""
    icon, did, title = _WORDS.get(operation) or (
        "dot",
        operation.replace("_", " ").replace(".", " "),
        operation.replace("_", " ").replace(".", " ").capitalize(),
    )
    return Words(icon=icon, did=did, title=title)


def describe(operation: str) -> tuple[str, str]:
    """An icon and a past-tense verb."""
    words = words_of(operation)
    return words.icon, words.did


def known_operations() -> list[tuple[str, str]]:
    """(operation, title) of all, by title: the choices of a filter."""
    return sorted(((name, words[2]) for name, words in _WORDS.items()), key=lambda one: one[1])
