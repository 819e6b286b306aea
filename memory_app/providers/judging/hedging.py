"""Where the local judges know less than their probabilities say.

A hedged verdict has its probabilities drawn together: at 0.5 a human decides, at 0.3 nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from memory_app.domain.statements import Statement, read_statement
from memory_app.domain.statements.comparing import remainder
from memory_app.domain.statements.lexicon import BE
from memory_app.providers.judging.features import CHANGES, NEWNESS
from memory_app.providers.judging.protocol import Pair
from memory_app.providers.judging.scoring import Scores

_LONGEST_STATEMENT: Final = 45  # words
_FOREIGN: Final = 0.5  # share of letters outside ASCII


def hedged(pairs: Sequence[Pair], scores: Scores) -> Scores:
    """The log-probabilities, drawn together where the models are out of their depth."""
    sureness = [
        _sureness(pair, supersedes=bool(row.argmax() == 1))
        for pair, row in zip(pairs, scores, strict=True)
    ]
    drawn: Scores = scores * np.array(sureness, dtype=np.float64)[:, None]
    return drawn


def _sureness(pair: Pair, *, supersedes: bool) -> float:
    if supersedes and (_other_subject(pair) or _renumbered(pair)):
        return 0.3
    return 0.5 if _strange(pair) else 1.0


def _strange(pair: Pair) -> bool:
    """Long or not English: both models were trained on single English sentences."""
    return _unlike_training(pair.old) or _unlike_training(pair.new)


def _unlike_training(text: str) -> bool:
    letters = [character for character in text[:500] if character.isalpha()]
    foreign = sum(not character.isascii() for character in letters)
    words = sum(token.kind != "mark" for token in read_statement(text).tokens)
    return words > _LONGEST_STATEMENT or foreign > _FOREIGN * max(1, len(letters))


def _other_subject(pair: Pair) -> bool:
    """BH-7 and BH-9, ticket 12 and ticket 13, Anna and Bob: alike in all but what they are about.

    A statement that says by a word that something changed may be about the other one.
    """
    old, new = read_statement(pair.old), read_statement(pair.new)
    if (CHANGES | NEWNESS) & {token.key for token in new.tokens}:
        return False
    return _conflict(old.keys("identifier"), new.keys("identifier")) or _conflict(
        _subject(old, new), _subject(new, old)
    )


def _renumbered(pair: Pair) -> bool:
    """District 3 employs 4, district 4 employs 5: of two new numbers one may be a name."""
    old, new = read_statement(pair.old), read_statement(pair.new)
    if (CHANGES | NEWNESS) & {token.key for token in new.tokens}:
        return False
    was, now = _numbers(old), _numbers(new)
    return len(was) == len(now) and sum(a != b for a, b in zip(was, now, strict=True)) > 1


def _numbers(statement: Statement) -> list[str]:
    return [token.key for token in statement.tokens if token.kind == "number"]


def _conflict(was: frozenset[str], now: frozenset[str]) -> bool:
    return bool(was - now) and bool(now - was)


def _subject(statement: Statement, other: Statement) -> frozenset[str]:
    """Names and numbers in front of the verb that the other statement doesn't have."""
    tokens = statement.tokens
    end = next((i for i, token in enumerate(tokens) if token.key in BE), min(3, len(tokens)))
    left = remainder(statement, other).old
    return frozenset(
        token.key
        for token in tokens[: max(1, end)]
        if token.kind == "number"
        or (token in left and token.kind == "word" and token.raw[:1].isupper())
    )
