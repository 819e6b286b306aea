"""What is left of two statements once everything they share is taken away."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Final

from memory_app.domain.statements.lexicon import ANTONYMS, COMPARATIVES, WEAK
from memory_app.domain.statements.reading import Statement, Token
from memory_app.domain.statements.spelling import stem

_PREFIXES: Final = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
_ANTONYM_STEMS: Final = frozenset(frozenset(stem(word) for word in pair) for pair in ANTONYMS) - {
    frozenset((stem(word),)) for pair in ANTONYMS for word in pair
}
_WEAK_STEMS: Final = frozenset(stem(word) for word in WEAK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder:
    """Words of either statement without a counterpart in the other, in reading order."""

    old: tuple[Token, ...]
    new: tuple[Token, ...]
    # Before synonyms were taken for one word: wife and husband are both a spouse.
    worded: tuple[tuple[Token, ...], tuple[Token, ...]] = ((), ())

    @property
    def weak(self) -> bool:
        """Only words on one side, and none that says anything."""
        if self.old and self.new:
            return False
        return all(t.stem in _WEAK_STEMS and not t.capital for t in (*self.old, *self.new))


def remainder(old: Statement, new: Statement) -> Remainder:
    """Words alone; numbers, dates and identifiers are compared by value elsewhere.

    Equal spellings go first, light words included, so that US meets us before `us` is ignored.
    """
    left = [t for t in old.tokens if t.kind == "word" and not t.negation]
    right = [t for t in new.tokens if t.kind == "word" and not t.negation]
    left, right = _without_shared(left, right, lambda t: t.key)
    left = [t for t in left if not t.light or t.key in COMPARATIVES]
    right = [t for t in right if not t.light or t.key in COMPARATIVES]
    left, right = _without_shared(left, right, lambda t: t.key if t.capital else t.stem)
    left, right = _without_shared(left, right, lambda t: t.stem)
    worded = tuple(left), tuple(right)
    left, right = _without_shared(left, right, lambda t: t.concept)
    return Remainder(old=tuple(left), new=tuple(right), worded=worded)


def _without_shared(
    left: Iterable[Token], right: Iterable[Token], key: Callable[[Token], Hashable]
) -> tuple[list[Token], list[Token]]:
    left, right = list(left), list(right)
    shared = Counter(map(key, left)) & Counter(map(key, right))
    return _minus(left, Counter(shared), key), _minus(right, Counter(shared), key)


def _minus(
    tokens: list[Token], shared: Counter[Hashable], key: Callable[[Token], Hashable]
) -> list[Token]:
    kept = []
    for token in tokens:
        if shared[key(token)] > 0:
            shared[key(token)] -= 1
        else:
            kept.append(token)
    return kept


def opposite(old: Iterable[Token], new: Iterable[Token]) -> bool:
    """Whether a word left in one statement is the opposite of a word left in the other."""
    left = {(t.key, t.stem) for t in old}
    right = {(t.key, t.stem) for t in new}
    return any(
        frozenset((a, b)) in ANTONYMS
        or frozenset((s, t)) in _ANTONYM_STEMS
        or _prefixed(a, b)
        or _prefixed(b, a)
        for a, s in left
        for b, t in right
    )


def _prefixed(word: str, other: str) -> bool:
    return len(word) > 3 and any(other == prefix + word for prefix in _PREFIXES)
