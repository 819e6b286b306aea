"""By name: ids and slugs, as many as the text holds."""

from __future__ import annotations

import re

from memory_app.domain.ids import is_id, to_uuid
from memory_app.recall.channels import Found
from memory_app.recall.scope import Scope

_NAMED = """
SELECT m.id::text, m.slug FROM memories m
WHERE m.bank_id = %(bank)s AND {memories} AND (m.id = ANY(%(ids)s::uuid[]) OR m.slug = ANY(%(slugs)s))
"""


def search(scope: Scope, text: str, *, depth: int) -> list[Found]:
    """The memories named in the text (parted by commas or white space), in that order."""
    names = list(dict.fromkeys(part for part in re.split(r"[\s,]+", text) if part))[:depth]
    ids = {str(to_uuid("mem", name)): name for name in names if is_id("mem", name)}
    rows = scope.rows(_NAMED.format(memories=scope.memories()), ids=list(ids), slugs=names)
    places: dict[str, int] = {row[0]: names.index(ids.get(row[0]) or row[1]) for row in rows}
    return [
        Found(memory_id=memory_id, score=1.0)
        for memory_id in sorted(places, key=lambda memory_id: places[memory_id])
    ]
