"""Ledger operations in plain words: the ledger stores facts, people read sentences."""

_WORDS = {
    "create": ("plus", "saved"),
    "import": ("import", "imported"),
    "merge": ("merge", "merged a repeat into"),
    "update": ("pencil", "edited"),
    "patch": ("pencil", "patched"),
    "append": ("list-plus", "added to"),
    "pin": ("pin", "pinned"),
    "unpin": ("pin-off", "unpinned"),
    "retire": ("archive", "retired"),
    "supersede": ("archive", "replaced"),
    "revive": ("archive-restore", "revived"),
    "forget": ("trash-2", "deleted"),
    "restore": ("undo-2", "restored"),
    "erase": ("eraser", "erased"),
    "link": ("link", "linked"),
    "unlink": ("unlink", "unlinked"),
    "graph_link": ("link", "linked"),
    "causal_hint": ("link", "typed the cause of"),
    "causal_hint_clear": ("unlink", "took the cause back from"),
    "propose": ("scale", "asked for a decision"),
    "undo_decision": ("undo-2", "took a decision back"),
    "run_import": ("import", "ran an import"),
    "undo_import": ("undo-2", "undid an import"),
    "index": ("scan-text", "indexed"),
    "entity_update": ("pencil", "described"),
    "rename_entity": ("pencil", "renamed"),
    "add_alias": ("tag", "added an alias of"),
    "remove_alias": ("tag", "removed an alias of"),
    "merge_entities": ("merge", "merged another entity into"),
    "undo_merge": ("undo-2", "took a merge back of"),
    "split_entity": ("split", "split"),
    "undo_entity_change": ("undo-2", "took a change back of"),
    "edge_cascade_forget": ("unlink", "unlinked"),
}


def describe(operation: str) -> tuple[str, str]:
    """An icon and a past-tense verb; an operation without words of its own shows its name."""
    known = _WORDS.get(operation) or _WORDS.get(operation.rpartition(".")[2])
    return known or ("dot", operation.replace("_", " "))
