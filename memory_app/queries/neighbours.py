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
from memory_app.domain.closest import Closest, as_stored
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.vectors import COMPACT_DIMENSIONS, vector_text
from memory_app.models import Bank

# From this many vectors on, one pass over the bank in memory is cheaper than a statement for each.
MATRIX_FROM = 8
# A bank with more numbers is asked through its index instead: 300 MB of them would be too much.
MATRIX_NUMBERS = 200_000 * 384
# A bank with so many new entries is read anew rather than followed.
FOLLOWED = 10_000

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
SELECT memory_id, embedding FROM cells WHERE bank_id = %s AND live AND embedding IS NOT NULL
"""
# Where each vector stands in the covering index, the table isn't touched.
_COVERED = " AND compact"
_OF_MEMORIES = " AND memory_id = ANY(%s)"

_TARGETS = """
SELECT seq, target FROM ledger_entries WHERE bank_id = %s AND seq > %s LIMIT %s
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
        return BankVectors().nearest(bank, vectors, limit=limit)
    return [nearest_from(rows, limit=limit) for rows in ask_inside(*questions)]


def nearest_questions(bank: Bank, vectors: np.ndarray, *, limit: int) -> list[Question]:
    """A question for each row of `vectors`, to be asked along with others; none where `nearest`
    does better by reading the bank once.
    """
    if len(vectors) >= MATRIX_FROM and _fits_memory(bank):
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


_Ranked = list[tuple[UUID, float]]


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What was found for these vectors before the bank was locked."""

    vectors: np.ndarray
    limit: int
    ranked: list[_Ranked]

    def is_for(self, vectors: np.ndarray, limit: int) -> bool:
        return limit == self.limit and np.array_equal(vectors, self.vectors)


class BankVectors:
    """The live vectors of a bank, read once and then followed through its ledger: for many calls in
    a row, which would each read the whole bank. 4 bytes a number, 80 MB for 50,000 short memories.

    Exact as of the transaction that asks. Hold it for minutes: vectors that `rebuild_vectors` makes
    anew stand in no ledger.
    """

    def __init__(self) -> None:
        self._rows: Closest[UUID] = Closest()
        self._seen = -1
        self._ahead: _Ahead | None = None

    def look_ahead(self, bank: Bank, vectors: np.ndarray, *, limit: int) -> None:
        """Search before the bank is locked: `nearest` for the same vectors then has nothing to do,
        unless somebody wrote in between.
        """
        if len(vectors) and _fits_memory(bank):
            self._follow(bank)
            self._ahead = _Ahead(vectors, limit, self._best(vectors, limit))

    def nearest(self, bank: Bank, vectors: np.ndarray, *, limit: int) -> list[list[Near]]:
        """As the function of that name. Two statements, another for what changed since."""
        if not _fits_memory(bank):
            return nearest(bank, vectors, limit=limit)
        self._follow(bank)
        ahead, self._ahead = self._ahead, None
        known = ahead is not None and ahead.is_for(vectors, limit)
        ranked = ahead.ranked if ahead and known else self._best(vectors, limit)
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

    def _best(self, vectors: np.ndarray, limit: int) -> list[_Ranked]:
        # A memory of several cells may stand in the way twice.
        best = self._rows.best(as_stored(vectors), limit=limit * 2)
        return [_once(found, limit) for found in best]

    def _follow(self, bank: Bank) -> None:
        """What was found ahead is forgotten where anything changed."""
        changed = _changed(bank, self._seen) if self._seen >= 0 else None
        if changed is None:
            # The mark is the older of the two: what changes in between is read twice.
            self._rows, self._seen, self._ahead = Closest(), bank.head_watermark, None
            self._rows.add(*_load(bank))
            return
        self._seen, memories = changed
        if memories:
            self._ahead = None
            self._rows.drop(memories)
            self._rows.add(*_load(bank, memories))


def _fits_memory(bank: Bank) -> bool:
    return bank.live_cells * bank.dimensions <= MATRIX_NUMBERS


def _changed(bank: Bank, since: int) -> tuple[int, list[UUID]] | None:
    """The memories with an entry behind `since`, and the last entry's number; None where so much
    changed that the bank is better read anew."""
    with connection.cursor() as cursor:
        cursor.execute(_TARGETS, [to_uuid("bank", bank.id), since, FOLLOWED])
        rows = cursor.fetchall()
    if len(rows) == FOLLOWED or any(target.startswith("bank_") for _, target in rows):
        return None
    memories = {to_uuid("mem", target) for _, target in rows if target.startswith("mem_")}
    return max([since, *(seq for seq, _ in rows)]), list(memories)


def _load(bank: Bank, memories: Sequence[UUID] | None = None) -> tuple[list[UUID], np.ndarray]:
    """Live vectors of the bank, all or those of some memories, read in pgvector's binary form: 2
    header words, then halves.
    """
    statement, values = _VECTORS, [to_uuid("bank", bank.id)]
    if bank.dimensions <= COMPACT_DIMENSIONS:
        statement += _COVERED
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        if memories is None:
            cursor.execute(statement, values, binary=True)
        else:
            cursor.execute(statement + _OF_MEMORIES, [*values, list(memories)], binary=True)
        rows = cursor.fetchall()
    if not rows:
        return [], np.zeros((0, bank.dimensions), np.float32)
    raw = b"".join([row[1] for row in rows])
    halves = np.frombuffer(raw, dtype=">f2").reshape(len(rows), -1)[:, 2:]
    return [row[0] for row in rows], as_stored(halves)


def _texts(bank: Bank, wanted: set[UUID]) -> dict[UUID, tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_TEXTS, [to_uuid("bank", bank.id), list(wanted)])
        return {row[0]: (row[1], row[2]) for row in cursor.fetchall()}


def _once(rows: list[tuple[UUID, float]], limit: int) -> list[tuple[UUID, float]]:
    best: dict[UUID, float] = {}
    for memory_id, cosine in rows:
        best[memory_id] = max(cosine, best.get(memory_id, -1.0))
    return sorted(best.items(), key=lambda item: -item[1])[:limit]
