"""How entities were called and described at a watermark, from the ledger's entries since."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection

from memory_app.domain.ids import to_uuid
from memory_app.domain.names import name_key
from memory_app.models import Entity

# Each of these says in `before` what the entity was until then.
RENAMING = (
    "entity_update",
    "rename_entity",
    "undo_entity_change",
    "merge_entities",
    "undo_merge",
)
FIELDS = ("name", "type", "description", "queries")

_BEFORE = """
SELECT l.target, c.content -> 'before' FROM ledger_entries l
JOIN ledger_contents c ON c.bank_id = l.bank_id AND c.seq = l.seq
WHERE l.bank_id = %(bank)s AND l.target = ANY(%(ids)s) AND l.seq > %(at)s
  AND l.operation = ANY(%(operations)s) AND jsonb_typeof(c.content -> 'before') = 'object'
ORDER BY l.seq
"""


def fields_then(bank_id: str, ids: Iterable[str], at: int) -> dict[str, dict[str, Any]]:
    """What was otherwise then, by entity; the first change since says it. One query, none for none.

    A change whose content was erased is passed over.
    """
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    values: dict[str, Any] = {"bank": to_uuid("bank", bank_id), "ids": wanted, "at": at}
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE, values | {"operations": list(RENAMING)})
        rows = cursor.fetchall()
    found: dict[str, dict[str, Any]] = {}
    for entity_id, content in rows:
        before, known = json.loads(content), found.setdefault(entity_id, {})
        for name in FIELDS:
            if name in before:
                known.setdefault(name, before[name])
    return found


def turn_entities_back(bank_id: str, entities: Iterable[Entity], at: int) -> None:
    """Give each unsaved instance the name and the description it had then. One query."""
    rows = list(entities)
    fields = fields_then(bank_id, [row.id for row in rows], at)
    for row in rows:
        for name, value in fields.get(row.id, {}).items():
            setattr(row, name, value)
        row.name_key = name_key(row.name)
