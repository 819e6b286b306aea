"""What the things that a ledger entry or an event is about are called; call inside `acting_as`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from memory_app.models import Entity, GapDecision, ImportJob, MemoryTest, SavedView
from memory_app.queries.access import Access

# By the prefix of the id: the table and the column that says it in words.
_NAMED: dict[str, tuple[Any, str]] = {
    "view": (SavedView, "name"),
    "test": (MemoryTest, "query"),
    "gap": (GapDecision, "question"),
    "ent": (Entity, "name"),
    "imp": (ImportJob, "name"),
}


def names_of_targets(access: Access, targets: Iterable[str]) -> dict[str, str]:
    """The names of the entities, tests, gaps, imports and views among the ids; another's private view
    is left out, as is what is gone. One query for each kind that occurs, five at most.
    """
    wanted: dict[str, set[str]] = {}
    for target in targets:
        prefix = target.partition("_")[0]
        if prefix in _NAMED:
            wanted.setdefault(prefix, set()).add(target)
    found: dict[str, str] = {}
    for prefix, ids in wanted.items():
        table, column = _NAMED[prefix]
        rows = table.objects.filter(bank_id=access.bank.id, id__in=ids)
        if prefix == "view":
            rows = rows.filter(Q(shared=True) | Q(created_by=access.actor.id))
        found.update(rows.values_list("id", column))
    return {target: name for target, name in found.items() if name}
