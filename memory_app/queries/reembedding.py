"""What a bank's second model still lacks, and how its answers compare with the first one's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.vectors import vector_text
from memory_app.models import Bank

# The text that is embedded of a cell, as `embedded_text` puts it together.
_CELL_TEXT = "CASE WHEN m.title = '' THEN c.text ELSE m.title || E'\\n' || c.text END"

CELLS_LACKING = f"""
SELECT c.id, {_CELL_TEXT} FROM cells c
JOIN memories m ON m.bank_id = c.bank_id AND m.id = c.memory_id
LEFT JOIN other_vectors o ON o.bank_id = c.bank_id AND o.owner_id = c.id
  AND o.model = %(model)s AND o.digest = md5({_CELL_TEXT})
WHERE c.bank_id = %(bank)s AND c.embedding IS NOT NULL AND o.owner_id IS NULL AND c.id > %(after)s
ORDER BY c.id LIMIT %(limit)s
"""  # noqa: S608
PROBES_LACKING = """
SELECT p.id, p.text FROM entity_probes p
LEFT JOIN other_vectors o ON o.bank_id = p.bank_id AND o.owner_id = p.id
  AND o.model = %(model)s AND o.digest = md5(p.text)
WHERE p.bank_id = %(bank)s AND p.embedding IS NOT NULL AND o.owner_id IS NULL AND p.id > %(after)s
ORDER BY p.id LIMIT %(limit)s
"""
_NUMBERS = """
SELECT (SELECT count(*) FROM cells WHERE bank_id = %(bank)s AND embedding IS NOT NULL)
     + (SELECT count(*) FROM entity_probes WHERE bank_id = %(bank)s AND embedding IS NOT NULL),
       (SELECT count(*) FROM other_vectors WHERE bank_id = %(bank)s AND model = %(model)s)
"""
_FIRST = """
SELECT c.memory_id, 1 - min(c.embedding <=> %(vector)s::halfvec) AS cosine FROM cells c
WHERE c.bank_id = %(bank)s AND c.live AND c.embedding IS NOT NULL
GROUP BY c.memory_id ORDER BY cosine DESC, c.memory_id LIMIT %(limit)s
"""
_SECOND = """
SELECT c.memory_id, 1 - min(o.embedding <=> %(vector)s::halfvec) AS cosine FROM cells c
JOIN other_vectors o ON o.bank_id = c.bank_id AND o.owner_id = c.id AND o.model = %(model)s
WHERE c.bank_id = %(bank)s AND c.live
GROUP BY c.memory_id ORDER BY cosine DESC, c.memory_id LIMIT %(limit)s
"""

Lacking = list[tuple[UUID, str]]
NOWHERE = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Texts that have a vector by the bank's model, and how many have one by the other."""

    total: int
    done: int


def lacking(statement: str, bank: Bank, model: str, *, after: UUID, limit: int) -> Lacking:
    """The next texts without a vector by `model`, in the order of their ids. One statement."""
    values: dict[str, Any] = {
        "bank": to_uuid("bank", bank.id),
        "model": model,
        "after": after,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [(row[0], row[1]) for row in cursor.fetchall()]


def extent(bank: Bank, model: str) -> Extent:
    """How far the second model is. One statement that counts the bank."""
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERS, {"bank": to_uuid("bank", bank.id), "model": model})
        total, done = cursor.fetchone() or (0, 0)
    return Extent(total=total, done=min(done, total))


def nearest_by(
    bank: Bank, vector: np.ndarray, *, other: str | None, limit: int
) -> list[tuple[str, float]]:
    """The closest memories by the bank's own vectors, or by the `other` model's. Exact."""
    values: dict[str, Any] = {
        "bank": to_uuid("bank", bank.id),
        "vector": vector_text(vector.tolist()),
        "model": other,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIRST if other is None else _SECOND, values)
        return [(from_uuid("mem", row[0]), float(row[1])) for row in cursor.fetchall()]
