"""By word: BM25 over title, content, author, date and tags, in one pass over the cells that match.

The rarest terms choose the candidates: every term that less than one cell in a hundred holds, then
more until about 2,000 cells are in; all terms score them. How many cells hold a common term is kept
for each bank (`bank_terms`); of the others the candidates hold all, so it is counted there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_app.domain.lexemes import lexical_query
from memory_app.recall.channels import Found
from memory_app.recall.scope import Scope

CANDIDATES = 2_000
LEAST_CANDIDATES = 400
LONGEST_QUERY = 32
# Short texts: a term counts little more for being repeated, a text little less for being long.
SATURATION = 0.9
LENGTH_WEIGHT = 0.6

_TERMS = """
SELECT t.lexeme, b.cells
FROM unnest(to_tsvector(%(language)s::regconfig, %(words)s)) t
LEFT JOIN bank_terms b ON b.bank_id = %(bank)s AND b.lexeme = t.lexeme
"""

# In a bank whose figures nobody has refreshed yet they are counted: it is young, so that is cheap.
_COUNTED = """
SELECT count(*) AS cells, greatest(avg(c.length), 1)::float8 AS length
FROM cells c WHERE c.bank_id = %(bank)s AND c.organization_id = %(organization)s AND c.live
"""
_STORED = "SELECT %(cells)s::bigint AS cells, %(average)s::float AS length"

_SCORED = """
WITH found AS MATERIALIZED (
  SELECT c.memory_id, c.length, {flags}
  FROM cells c
  WHERE {cells} AND c.words @@ %(candidates)s::tsquery
), bank AS ({bank}), counted AS (
  SELECT count(*) AS total, {counts} FROM found
), held AS (
  SELECT greatest(bank.cells, counted.total)::float8 AS cells, {frequencies} FROM bank, counted
), rarity AS MATERIALIZED (
  SELECT (%(saturation)s * %(weight)s / bank.length)::float8 AS slope, {rarities} FROM held, bank
), best AS (
  SELECT found.memory_id, max(({score}) / (%(flat)s::float8 + slope * found.length)) AS score
  FROM found, rarity GROUP BY found.memory_id ORDER BY score DESC, memory_id DESC LIMIT %(depth)s
)
SELECT best.memory_id::text, best.score, {cosine} FROM best ORDER BY best.score DESC, best.memory_id DESC
"""

_COSINE = """(
  SELECT 1 - min(c.embedding <=> %(vector)s::halfvec) FROM cells c
  WHERE c.memory_id = best.memory_id AND {cells})"""


_HELD = """
SELECT c.memory_id::text, {held} AS hits FROM cells c
WHERE {cells} AND c.words @@ %(candidates)s::tsquery
GROUP BY c.memory_id ORDER BY hits DESC, c.memory_id DESC LIMIT %(depth)s
"""

_HOLDING = """
SELECT c.memory_id::text, {flags} FROM cells c
WHERE {cells} AND c.memory_id = ANY(%(ids)s::uuid[]) GROUP BY c.memory_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A lexeme of the query and how many cells hold it, where the bank keeps that."""

    lexeme: str
    cells: int | None

    @property
    def query(self) -> str:
        escaped = self.lexeme.replace("\\", "\\\\").replace("'", "''")
        return f"'{escaped}'"


def terms_of(scope: Scope, text: str) -> list[Term]:
    """The query's lexemes in the bank's language, the rarest first. One statement."""
    words = lexical_query(text)
    if not words:
        return []
    rows = scope.rows(_TERMS, language=scope.bank.text_search, words=words)
    terms = [Term(lexeme=lexeme, cells=cells) for lexeme, cells in rows]
    return sorted(terms, key=lambda term: (term.cells or 0, term.lexeme))[:LONGEST_QUERY]


def search(
    scope: Scope,
    terms: Sequence[Term],
    *,
    depth: int,
    vector: str | None = None,
    every: bool = False,
) -> list[Found]:
    """The best `depth` memories by BM25, with their cosine to `vector`; `every` asks for all terms.

    One statement; none for a query without words.
    """
    if not terms:
        return []
    chosen = list(terms) if every else rarest(terms)
    numbers = range(len(terms))
    known = {f"df{number}": terms[number].cells for number in numbers}
    asked = {f"term{number}": terms[number].query for number in numbers}
    statement = _SCORED.format(
        cells=scope.cells(),
        flags=", ".join(f"(c.words @@ %(term{n})s::tsquery) AS t{n}" for n in numbers),
        counts=", ".join(f"count(*) FILTER (WHERE t{n}) AS n{n}" for n in numbers),
        frequencies=", ".join(
            f"coalesce(%(df{n})s::bigint, n{n})::float8 AS d{n}" for n in numbers
        ),
        rarities=", ".join(
            f"ln(1 + (greatest(held.cells - d{n}, 0) + 0.5::float8) / (d{n} + 0.5::float8)) AS r{n}"
            for n in numbers
        ),
        score=" + ".join(f"CASE WHEN t{n} THEN r{n} ELSE 0::float8 END" for n in numbers),
        bank=_STORED if scope.bank.live_cells else _COUNTED,
        cosine=_COSINE.format(cells=scope.cells(filtered=False)) if vector else "NULL::float",
    )
    rows = scope.rows(
        statement,
        candidates=(" & " if every else " | ").join(term.query for term in chosen),
        cells=scope.bank.live_cells,
        average=max(scope.bank.average_length, 1.0),
        saturation=SATURATION,
        weight=LENGTH_WEIGHT,
        flat=1 + SATURATION * (1 - LENGTH_WEIGHT),
        depth=depth,
        vector=vector,
        **known,
        **asked,
    )
    return [
        Found(
            memory_id=row[0], score=float(row[1]), cosine=None if row[2] is None else float(row[2])
        )
        for row in rows
    ]


def held(scope: Scope, terms: Sequence[Term], *, depth: int) -> list[Found]:
    """Memories by how many of the terms they hold, then the newer; the score is that number.

    One statement, linear in the cells that hold any of them; none for a query without words.
    """
    if not terms:
        return []
    numbers = range(len(terms))
    statement = _HELD.format(
        cells=scope.cells(),
        held=" + ".join(f"bool_or(c.words @@ %(term{n})s::tsquery)::int" for n in numbers),
    )
    rows = scope.rows(
        statement,
        candidates=" | ".join(term.query for term in terms),
        depth=depth,
        **{f"term{number}": terms[number].query for number in numbers},
    )
    return [Found(memory_id=row[0], score=float(row[1])) for row in rows]


def holding(scope: Scope, terms: Sequence[Term], ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Which of the terms each of these memories holds. One statement; none without terms or ids."""
    if not terms or not ids:
        return {}
    numbers = range(len(terms))
    statement = _HOLDING.format(
        cells=scope.cells(),
        flags=", ".join(f"bool_or(c.words @@ %(term{n})s::tsquery)" for n in numbers),
    )
    asked = {f"term{number}": terms[number].query for number in numbers}
    rows = scope.rows(statement, ids=list(ids), **asked)
    return {
        row[0]: tuple(term.lexeme for term, held in zip(terms, row[1:], strict=True) if held)
        for row in rows
    }


def rarest(terms: Sequence[Term]) -> list[Term]:
    """The terms that choose the candidates: all without a stored count, then the rarest others.

    A common term comes in only while there are few candidates, or while all stay below the cap.
    """
    chosen: list[Term] = []
    covered = 0
    for term in sorted(terms, key=lambda term: term.cells or 0):
        cells = term.cells or 0
        if covered >= LEAST_CANDIDATES and covered + cells > CANDIDATES:
            break
        chosen.append(term)
        covered += cells
    return chosen
