"""Some fifty figures about a pair: what the statements share, where they differ, and how."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from memory_app.domain.statements import Statement, Token, read_statement
from memory_app.domain.statements.arrangement import rearranged
from memory_app.domain.statements.comparing import opposite, remainder
from memory_app.domain.statements.lexicon import PAST, words
from memory_app.domain.statements.spelling import stem
from memory_app.providers.judging.protocol import Pair

Features = npt.NDArray[np.float64]

# Words by which a statement says that something isn't as it was.
CHANGES: Final = frozenset(
    words(
        """
        anymore longer stopped quit quits cancelled canceled formerly instead switched moved
        replaced sold left divorced ended changed now started again overcame overcome unemployed
        disabled enabled expired resigned retired dropped gave given previously became become
        upgraded migrated renamed postponed raised lowered increased reduced cut closed removed
        terminated revoked broke split died succeeded found learned handed passed hired resumed
        withdrawn lifted rewritten ported new yet over off
        """
    )
)
NEWNESS: Final = frozenset(words("now currently longer anymore again since instead already new"))
_ADDITIONS: Final = frozenset(
    words("also too additionally another besides forget remember hesitate only just moreover extra")
)
# Attributes with one value at a time, and those that take many: "lives in" against "likes".
_SINGLE: Final = frozenset(
    stem(word)
    for word in words(
        """
        live reside based hometown age old birthday born married spouse default main primary
        favorite favourite manager boss headquarters deadline port timeout password code version
        weigh tall height size email address limit maximum minimum budget price cost costs salary
        scheduled launch name named called works job title language rent expires ends owner lead
        """
    )
)
_MULTIPLE: Final = frozenset(
    stem(word)
    for word in words(
        """
        likes enjoys loves dislikes speaks knows visited travelled allergic plays collects owns
        reads uses supports depends includes ships sells ordered met bought hobby interested
        subscribes friend sister brother reviews handles covers lists contains returns needs wants
        watched tested hired been
        """
    )
)
_EVENTS: Final = frozenset(
    stem(word)
    for word in words(
        "met visited went ran failed passed signed bought watched sent wrote hired gave lent sold"
    )
)
_VALUES: Final = ("number", "date", "weekday", "month", "time", "identifier")


def features_of(pairs: Sequence[Pair]) -> Features:
    """One row for each pair; 0.5 ms of CPU each, no model."""
    return np.array([_row(pair) for pair in pairs], dtype=np.float64)


def _row(pair: Pair) -> list[float]:
    old, new = read_statement(pair.old), read_statement(pair.new)
    left = remainder(old, new)
    a, b = {_key(t) for t in old.content}, {_key(t) for t in new.content}
    shared = len(a & b)
    only_old, only_new = _spoken(old) - _spoken(new), _spoken(new) - _spoken(old)
    sequence = difflib.SequenceMatcher(
        None, [_key(t) for t in old.content], [_key(t) for t in new.content], autojunk=False
    ).ratio()
    stems = {t.stem for t in old.tokens}, {t.stem for t in new.tokens}
    common = stems[0] & stems[1]
    conflicts = [_conflict(old, new, kind) for kind in _VALUES]
    named = bool(_names(left.old)), bool(_names(left.new))
    head = _head(old) == _head(new)
    negated = (old.negations > 0) != (new.negations > 0)
    antonym = opposite(left.old, left.new)
    changes = len(CHANGES & only_new), len(CHANGES & only_old)
    both, one = bool(left.old and left.new), bool(left.old) != bool(left.new)
    single, multiple = bool(_SINGLE & common), bool(_MULTIPLE & common)
    return [
        pair.cosine,
        pair.cosine**2,
        shared / max(1, len(a | b)),
        shared / max(1, len(a)),
        shared / max(1, len(b)),
        _trigrams(old.text, new.text),
        sequence,
        (len(new.content) - len(old.content)) / 5,
        min(4, len(left.old)) / 4,
        min(4, len(left.new)) / 4,
        both,
        one,
        left.weak,
        *conflicts,
        any(conflicts),
        _shares_values(old, new),
        all(named),
        named[0],
        named[1],
        head,
        bool(set(_names(old.content)) & set(_names(new.content))),
        old.negations > 0,
        new.negations > 0,
        negated,
        antonym,
        min(2, changes[0]),
        min(2, changes[1]),
        bool(NEWNESS & only_new),
        bool(_ADDITIONS & only_new),
        bool(PAST & only_new) and not PAST & only_old,
        bool(PAST & only_old) and not PAST & only_new,
        bool(old.persons and new.persons and old.persons != new.persons),
        rearranged(old, new) and not both,
        single,
        multiple,
        single and both and head,
        multiple and both and not antonym and not negated,
        bool(_EVENTS & (stems[0] | stems[1])),
        head and changes[0] > 0,
        not head and all(named),
        (negated or antonym) and shared / max(1, min(len(a), len(b))) > 0.6,
        pair.cosine * (negated or antonym),
        any(conflicts) and not both,
        sequence * head,
    ]


def _conflict(old: Statement, new: Statement, kind: str) -> bool:
    """Each has a value of the kind that the other lacks."""
    was = {(t.key, t.unit) for t in old.tokens if t.kind == kind}
    now = {(t.key, t.unit) for t in new.tokens if t.kind == kind}
    return bool(was - now) and bool(now - was)


def _shares_values(old: Statement, new: Statement) -> bool:
    was = {(t.kind, t.key) for t in old.tokens if t.kind in _VALUES}
    now = {(t.kind, t.key) for t in new.tokens if t.kind in _VALUES}
    return bool(was) and was == now


def _key(token: Token) -> str:
    return token.concept or token.key


def _spoken(statement: Statement) -> set[str]:
    return {token.key for token in statement.tokens if token.kind == "word"}


def _names(tokens: Sequence[Token]) -> list[str]:
    return [t.key for t in tokens if t.capital or (t.initial and t.raw[:1].isupper())]


def _head(statement: Statement) -> str:
    """What the statement is about, roughly: its first content word, with what that one owns."""
    content = statement.content
    length = 2 if content and content[0].possessive else 1
    return " ".join(_key(token) for token in content[:length])


def _trigrams(old: str, new: str) -> float:
    a = {old[i : i + 3].lower() for i in range(min(len(old), 400) - 2)}
    b = {new[i : i + 3].lower() for i in range(min(len(new), 400) - 2)}
    return len(a & b) / max(1, len(a | b))
