"""Why two different names may mean one thing: the reasons that are offered to a caller, never acted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from memory_app.consolidation.variants import why_alike
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.names import name_key

CANDIDATES = 5
# Below this share of common trigrams two names are merely alike by chance.
SIMILARITY = 0.55

_NEAR = """
SELECT wanted.key, e.id, e.name, e.description, e.name_key, similarity(e.name_key, wanted.key)
FROM unnest(%(keys)s::text[]) AS wanted(key)
JOIN LATERAL (
  SELECT id, name, description, name_key FROM entities
  WHERE bank_id = %(bank)s AND until IS NULL
    AND (similarity(name_key, wanted.key) >= %(least)s
         OR regexp_replace(name_key, '[^[:alnum:]]', '', 'g')
            = regexp_replace(wanted.key, '[^[:alnum:]]', '', 'g')
         OR left(name_key, length(wanted.key) + 1) = wanted.key || ' '
         OR left(wanted.key, length(name_key) + 1) = name_key || ' ')
  ORDER BY similarity(name_key, wanted.key) DESC, id LIMIT %(limit)s) AS e ON true
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """A stored entity that a new name may mean, and why."""

    entity_id: str
    name: str
    description: str
    reason: str


def near(bank_id: str, names: Sequence[str]) -> dict[str, list[Likeness]]:
    """For each unknown name the live entities with a like name. One query, linear in the entities.

    Names that differ in a number (BH-7, BH-9) or in one word of a template are not alike.
    """
    keys = {name_key(name): name for name in names}
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            _NEAR,
            {
                "keys": list(keys),
                "bank": to_uuid("bank", bank_id),
                "least": SIMILARITY,
                "limit": CANDIDATES,
            },
        )
        rows = cursor.fetchall()
    found: dict[str, list[Likeness]] = {}
    for key, entity_id, name, description, other, _ in rows:
        reason = why_alike(key, other)
        if reason:
            found.setdefault(keys[key], []).append(
                Likeness(
                    entity_id=from_uuid("ent", entity_id),
                    name=name,
                    description=description,
                    reason=reason,
                )
            )
    return found
