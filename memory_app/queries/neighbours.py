"""The nearest live memories to given vectors, inside one bank: what a new text is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import psycopg
from django.db import connection

from accounts.questions import Question, Row
from accounts.tenancy import ask_inside
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.vectors import vector_text
from memory_app.models import Bank

# From this many vectors on, one pass over the bank in memory is cheaper than a statement for each.
MATRIX_FROM = 8
# A bank above this is asked through its index instead: the matrix would be too large to fetch.
MATRIX_CELLS = 200_000

_NEAREST = """
WITH near AS MATERIALIZED (
  SELECT memory_id, 1 - (embedding <=> %({vector})s::halfvec) AS cosine
  FROM cells
  WHERE bank_id = %(near_bank)s AND live AND compact AND embedding IS NOT NULL
  ORDER BY (embedding <=> %({vector})s::halfvec) + 0
  LIMIT %(near_limit)s)
"""

_NEAREST_INDEXED = """
WITH near AS MATERIALIZED (
  SELECT memory_id, 1 - (embedding::{type} <=> %({vector})s::{type}) AS cosine
  FROM cells
  WHERE bank_id = %(near_bank)s AND live AND embedding IS NOT NULL
  ORDER BY embedding::{type} <=> %({vector})s::{type}
  LIMIT %(near_limit)s)
"""

_WITH_TEXTS = """
SELECT memories.id, near.cosine, memories.content, memories.head_watermark
FROM near JOIN memories ON memories.bank_id = %(near_bank)s AND memories.id = near.memory_id
ORDER BY near.cosine DESC, memories.id DESC
"""

_TEXTS = """
SELECT id, content, head_watermark FROM memories WHERE bank_id = %s AND id = ANY(%s)
"""

_VECTORS = """
SELECT memory_id, embedding FROM cells
WHERE bank_id = %s AND live AND compact AND embedding IS NOT NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A live memory, its text, and the cosine of its closest cell."""

    memory_id: str
    cosine: float
    text: str
    head_watermark: int


def nearest(bank: Bank, vectors: np.ndarray, *, limit: int) -> list[list[Near]]:
    """For each row of `vectors` (n, d) the closest memories, best first, each memory once.

    One index-only scan a vector (0.3 microseconds a cell), all in one message; for eight and more
    vectors one scan, one matrix product and one statement for the texts. Exact unless the bank has
    a vector index.
    """
    if not len(vectors):
        return []
    questions = nearest_questions(bank, vectors, limit=limit)
    if not questions:
        return _by_matrix(bank, vectors, limit)
    return [nearest_from(rows, limit=limit) for rows in ask_inside(*questions)]


def nearest_questions(bank: Bank, vectors: np.ndarray, *, limit: int) -> list[Question]:
    """A question for each row of `vectors`, to be asked along with others; none where `nearest`
    does better by reading the bank once.
    """
    if len(vectors) >= MATRIX_FROM and bank.live_cells <= MATRIX_CELLS:
        return []
    return [_question(bank, vector, f"near_{i}", limit) for i, vector in enumerate(vectors)]


def nearest_from(rows: Sequence[Row], *, limit: int) -> list[Near]:
    """The memories that the rows of one such question tell of."""
    best: dict[UUID, Near] = {}
    for memory_id, cosine, text, head_watermark in rows:
        if memory_id not in best and len(best) < limit:
            best[memory_id] = Near(
                memory_id=from_uuid("mem", memory_id),
                cosine=float(cosine),
                text=text,
                head_watermark=head_watermark,
            )
    return list(best.values())


def _question(bank: Bank, vector: np.ndarray, name: str, limit: int) -> Question:
    statement = _NEAREST.format(vector=name)
    if bank.vector_index:
        kind = f"halfvec({int(bank.dimensions)})"
        statement = _NEAREST_INDEXED.format(type=kind, vector=name)
    return Question(
        sql=statement + _WITH_TEXTS,
        values={
            name: vector_text(vector.tolist()),
            "near_bank": to_uuid("bank", bank.id),
            # A memory of several cells may stand in the way twice.
            "near_limit": limit * 2,
        },
        # The bank's own index can only be planned for with the bank in the text.
        repeats=not bank.vector_index,
    )


def _by_matrix(bank: Bank, vectors: np.ndarray, limit: int) -> list[list[Near]]:
    ids, stored = _load(bank)
    if not ids:
        return [[] for _ in vectors]
    ranked: list[list[tuple[UUID, float]]] = []
    width = min(limit * 2, len(ids))
    for start in range(0, len(vectors), 256):
        scores = vectors[start : start + 256] @ stored.T
        top = np.argpartition(-scores, width - 1, axis=1)[:, :width]
        for row, columns in enumerate(top):
            best = columns[np.argsort(-scores[row, columns], kind="stable")]
            ranked.append(_once([(ids[c], float(scores[row, c])) for c in best], limit))
    texts = _texts(bank, {memory_id for one in ranked for memory_id, _ in one})
    return [
        [
            Near(
                memory_id=from_uuid("mem", memory_id),
                cosine=cosine,
                text=texts[memory_id][0],
                head_watermark=texts[memory_id][1],
            )
            for memory_id, cosine in one
            if memory_id in texts
        ]
        for one in ranked
    ]


def _load(bank: Bank) -> tuple[list[UUID], np.ndarray]:
    """Every live vector of the bank, read in pgvector's binary form: 2 header words, then halves."""
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(_VECTORS, [to_uuid("bank", bank.id)], binary=True)
        rows = cursor.fetchall()
    if not rows:
        return [], np.zeros((0, bank.dimensions), np.float32)
    raw = b"".join([row[1] for row in rows])
    halves = np.frombuffer(raw, dtype=">f2").reshape(len(rows), -1)[:, 2:].astype(np.float32)
    norms = np.linalg.norm(halves, axis=1, keepdims=True)
    return [row[0] for row in rows], halves / np.maximum(norms, 1e-9)


def _texts(bank: Bank, wanted: set[UUID]) -> dict[UUID, tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_TEXTS, [to_uuid("bank", bank.id), list(wanted)])
        return {row[0]: (row[1], row[2]) for row in cursor.fetchall()}


def _once(rows: list[tuple[UUID, float]], limit: int) -> list[tuple[UUID, float]]:
    best: dict[UUID, float] = {}
    for memory_id, cosine in rows:
        best[memory_id] = max(cosine, best.get(memory_id, -1.0))
    return sorted(best.items(), key=lambda item: -item[1])[:limit]
