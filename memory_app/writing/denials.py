"""The same words again, denied or with another value: the plainest ways to say that it is over."""

from itertools import pairwise
from typing import Final

from memory_app.domain.statements import Statement, Token
from memory_app.domain.statements.arrangement import rearranged
from memory_app.domain.statements.lexicon import BE, PREPOSITIONS, words
from memory_app.domain.statements.spelling import stem

_VALUED: Final = ("number", "date", "weekday", "month", "time")
_ENDINGS: Final = frozenset(words("longer anymore stopped quit ceased"))
_ENDING_STEMS: Final = frozenset(
    stem(word) for word in words("longer any more stopped quit ceased gave up")
)
_REVALUINGS: Final = frozenset(
    words(
        """
        now raised lowered increased reduced changed moved postponed rescheduled extended cut
        shortened upgraded downgraded updated new
        """
    )
)
_REVALUING_STEMS: Final = frozenset(stem(word) for word in (*_REVALUINGS, "from", "until"))
_ADDING: Final = frozenset(words("also too additionally another besides well plus not only"))
_EVENTS: Final = frozenset(
    stem(word) for word in words("bought sold met visited ordered hired sent ran won lost was were")
)


def denies(was: Statement, now: Statement) -> bool:
    """ "no longer" or "stopped" with every word of the old statement, and none besides."""
    keys = [token.key for token in now.tokens]
    marked = (
        _ENDINGS & set(keys)
        or ("gave", "up") in pairwise(keys)
        or ("any", "more") in pairwise(keys)
    )
    if not marked or was.negations or now.negations > 1 or _other_persons(was, now):
        return False
    said = {_key(token) for token in now.content} - _ENDING_STEMS
    return (
        bool(said) and said == {_key(token) for token in was.content} and not rearranged(was, now)
    )


def revalues(was: Statement, now: Statement) -> bool:
    """The same words with "now", "was raised to" or their like, and another value of one kind."""
    keys = {token.key for token in now.tokens}
    if not (keys & _REVALUINGS) or keys & _ADDING or was.negations or now.negations:
        return False
    if _other_persons(was, now) or {t.stem for t in was.tokens} & _EVENTS:
        return False
    old, left, set_now = _values(was), _values(now, behind="from"), _values(now)
    if len(old) != 1 or (left and left != old):
        return False
    fresh = set_now - left
    if len(fresh) != 1 or fresh == old or {v[::2] for v in old} != {v[::2] for v in fresh}:
        return False
    same = _unvalued(was) == _unvalued(now) - _REVALUING_STEMS
    return same and _said_of_subject(was)


def _said_of_subject(was: Statement) -> bool:
    """Whether the value is what is said, and no part of a name: "is 5", but not "ticket 5"."""
    place = next(i for i, token in enumerate(was.tokens) if token.kind in _VALUED)
    before = was.tokens[place - 1] if place else None
    if before is None or any(token.key in BE for token in was.tokens[place:]):
        return False
    verb = before.key.endswith("s") and not before.possessive and place > 1
    return before.key in BE or before.key in PREPOSITIONS or verb


def _values(statement: Statement, *, behind: str = "") -> set[tuple[str, str, str]]:
    """(kind, value, unit) of every value, or of those right behind a word."""
    before = ("", *(token.key for token in statement.tokens))
    return {
        (token.kind, token.key, token.unit)
        for token, previous in zip(statement.tokens, before, strict=False)
        if token.kind in _VALUED and (not behind or previous == behind)
    }


def _unvalued(statement: Statement) -> set[str]:
    return {_key(token) for token in statement.content if token.kind not in _VALUED}


def _other_persons(was: Statement, now: Statement) -> bool:
    return bool(was.persons and now.persons and was.persons != now.persons)


def _key(token: Token) -> str:
    return token.concept or token.key
