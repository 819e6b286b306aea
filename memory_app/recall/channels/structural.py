"""Without a query: the profile, pinned first, then most often recalled, then newest (E3); or the
newest alone.

Each statement reads the head of an index, so the cost doesn't grow with the bank.
"""

from __future__ import annotations

from memory_app.recall.channels import Found
from memory_app.recall.scope import Scope

_PINNED = """
SELECT m.id::text FROM memories m
WHERE m.bank_id = %(bank)s AND m.pinned_at IS NOT NULL AND {memories}
ORDER BY m.pinned_at DESC, m.id DESC LIMIT %(depth)s
"""

_RECALLED = """
SELECT m.id::text FROM memories m
WHERE m.bank_id = %(bank)s AND m.pinned_at IS NULL AND {memories}
ORDER BY m.recall_count DESC, m.id DESC LIMIT %(depth)s
"""

_NEWEST = """
SELECT m.id::text FROM memories m WHERE m.bank_id = %(bank)s AND {memories}
ORDER BY m.id DESC LIMIT %(depth)s
"""


def search(scope: Scope, *, depth: int) -> list[Found]:
    """The first `depth` memories of the profile, under the scope's filters."""
    memories = scope.memories()
    rows = [
        row
        for statement in (_PINNED, _RECALLED)
        for row in scope.rows(statement.format(memories=memories), depth=depth)
    ]
    return [Found(memory_id=row[0], score=0.0) for row in rows[:depth]]


def newest(scope: Scope, *, depth: int) -> list[Found]:
    """The newest memories, under the scope's filters. One statement."""
    rows = scope.rows(_NEWEST.format(memories=scope.memories()), depth=depth)
    return [Found(memory_id=row[0], score=0.0) for row in rows]
