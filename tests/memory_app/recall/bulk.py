"""Thousands of memories straight into the tables: for plans, indexes and speed, not for behaviour."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection, connections

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Bank
from memory_app.queries.terms import refresh_terms
from tests.factories import World

_TOPICS = 300
_MEMORIES = """
INSERT INTO memories (bank_id, organization_id, id, slug, title, content, category, collection, tags,
  observed_offset, observed_text, confidence, source, project, session, props, stated, author, author_name,
  tool, content_hash, recall_count, created_at, updated_at, indexed_at, created_watermark,
  head_watermark, retired_by, retired_reason)
SELECT %(bank)s, %(organization)s, u.id, u.id::text, '', u.content, '', '',
  CASE WHEN u.n %% 12 = 0 THEN ARRAY['twelfth'] ELSE '{}'::varchar[] END, 0, '', '', '', '',
  'session ' || u.n / 20, '{}', '{}', 'agent', 'Coder', '', '', u.n %% 17,
  now() - u.n * interval '1 minute', now(), now(), u.n, u.n, '', ''
FROM unnest(%(ids)s::uuid[], %(contents)s::text[], %(numbers)s::int[]) u (id, content, n)
"""
_CELLS = """
INSERT INTO cells (bank_id, organization_id, id, memory_id, position, text, digest, embedding, words,
  length, live, compact, since)
SELECT %(bank)s, %(organization)s, u.cell, u.id, 0, u.content, '', u.vector::halfvec,
  to_tsvector('english', u.content), %(length)s, true, true, u.n
FROM unnest(%(cells)s::uuid[], %(ids)s::uuid[], %(contents)s::text[], %(vectors)s::text[],
            %(numbers)s::int[]) u (cell, id, content, vector, n)
"""
_VISIBLE = "SELECT relallvisible = relpages FROM pg_class WHERE relname = 'cells'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Texts of 30 words from a vocabulary with a natural spread, and vectors around shared topics.

    Topics are shared by all banks: with topics of its own each bank would be easy for any index.
    """

    words: tuple[str, ...]
    weights: tuple[float, ...]
    centres: npt.NDArray[np.float32]

    def text(self, chance: random.Random) -> str:
        return " ".join(chance.choices(self.words, self.weights, k=30))

    def vector(self, chance: np.random.Generator) -> npt.NDArray[np.float32]:
        centre = self.centres[chance.zipf(1.3) % len(self.centres)]
        row = centre + 0.8 * chance.standard_normal(centre.shape[0]).astype(np.float32)
        return np.asarray(row / np.linalg.norm(row), np.float32)


def make_corpus(dimensions: int = 384, vocabulary: int = 12_000) -> Corpus:
    chance = np.random.default_rng(7)
    words = tuple(f"w{zlib.crc32(str(number).encode()):x}" for number in range(vocabulary))
    weights = tuple(1.0 / (rank + 8) for rank in range(vocabulary))
    centres = chance.standard_normal((_TOPICS, dimensions)).astype(np.float32)
    return Corpus(words=words, weights=weights, centres=centres)


def fill(world: World, bank: Bank, corpus: Corpus, count: int, *, seed: int = 1) -> None:
    """`count` memories of one cell each; `refresh` the bank afterwards."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    for start in range(0, count, 500):
        amount = min(500, count - start)
        contents = [corpus.text(chance) for _ in range(amount)]
        values: dict[str, Any] = {
            "bank": to_uuid("bank", bank.id),
            "organization": to_uuid("org", bank.organization_id),
            "ids": [to_uuid("mem", new_id("mem")) for _ in range(amount)],
            "cells": [to_uuid("cell", new_id("cell")) for _ in range(amount)],
            "contents": contents,
            "vectors": list(_written(corpus, numbers, amount)),
            "numbers": list(range(start, start + amount)),
            "length": 30,
        }
        with acting_as(world.person), connection.cursor() as cursor:
            cursor.execute(_MEMORIES, values)
            cursor.execute(_CELLS, values)


def refresh(world: World, bank: Bank) -> None:
    """The bank's figures, as the background keeps them."""
    with acting_as(world.person):
        Bank.objects.filter(id=bank.id).update(head_watermark=1_000_000)
        refresh_terms(bank)
        bank.refresh_from_db()


def settle() -> None:
    """What autovacuum does in time: visibility and statistics, which index-only plans need.

    Again while somebody's older snapshot (the server analyzing a table, say) keeps rows from being
    seen as visible to all.
    """
    with connections["owner"].cursor() as cursor:
        for _ in range(50):
            for table in ("memories", "cells", "banks", "bank_terms"):
                # Few dead rows would be left to later, and their pages with them.
                cursor.execute(f"VACUUM (ANALYZE, INDEX_CLEANUP ON) {table}")
            cursor.execute(_VISIBLE)
            if cursor.fetchone()[0]:
                return
            time.sleep(0.2)


def _written(corpus: Corpus, chance: np.random.Generator, amount: int) -> Iterator[str]:
    for _ in range(amount):
        yield "[" + ",".join(f"{value:.4g}" for value in corpus.vector(chance)) + "]"
