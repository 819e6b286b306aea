"""Guards before any merge: what two statements say differently, found without a model.

A false "different" costs a duplicate, a false "same" loses a statement: whatever isn't known to
mean the same counts as a difference.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from memory_app.domain.statements import Statement, read_statement
from memory_app.domain.statements.arrangement import rearranged
from memory_app.domain.statements.comparing import Remainder, opposite, remainder
from memory_app.domain.statements.particles import particle_differences

_WRITTEN: Final = re.compile(r"\d[\d.,]*")
_COMPOUND: Final = re.compile(r"(?<!\w)\w+(?:/\w+)+")
# Marks that only divide a text; of the others each says something ("+5", "km/h").
_DIVIDING: Final = frozenset('.,;:!"()')


def differences(old: str, new: str) -> frozenset[str]:
    """Kinds of difference; empty when both say the same.

    `number`, `unit`, `date`, `weekday`, `month`, `time`, `identifier`, `negation`, `antonym`,
    `question`, `tense`, `person`, `name`, `word` (another word in its place), `detail` (one says
    more) and `order` (the same arguments in other roles).
    """
    was, now = read_statement(old), read_statement(new)
    if _spellings(was) == _spellings(now):
        return frozenset()
    left = remainder(was, now)
    found = _values(was, now) | _polarity(was, now) | _words(left, was, now)
    found |= particle_differences(was, now, left)
    if "name" not in found and "word" not in found and rearranged(was, now):
        found.add("order")
    return frozenset(found)


def same_statement(old: str, new: str) -> bool:
    """Whether `new` may be merged into `old` without losing anything it says."""
    if same_wording(old, new):
        return True
    was, now = read_statement(old), read_statement(new)
    # What tells most pairs apart comes first: the words are held against each other last.
    return not (_values(was, now) or _polarity(was, now) or differences(old, new))


def same_wording(old: str, new: str) -> bool:
    """Whether both say the very same words and values in the same order.

    Case, punctuation, white space, contractions and the spelling of a number, a date or a time
    aside: a repeat whatever the vectors of the two are.
    """
    return _wording(old) == _wording(new)


@lru_cache(maxsize=65_536)  # an import holds each line against many; 16 MB of short texts
def _wording(text: str) -> bytes:
    """A digest of all that `same_wording` compares."""
    return blake2b(repr(_spellings(read_statement(text))).encode(), digest_size=16).digest()


def _spellings(statement: Statement) -> list[tuple[str, str]]:
    return [
        (token.key, token.unit)
        for token in statement.tokens
        if token.kind != "mark" or token.raw not in _DIVIDING
    ]


def _values(old: Statement, new: Statement) -> set[str]:
    found = {
        kind
        for kind in ("date", "weekday", "month", "time", "identifier")
        if old.keys(kind) != new.keys(kind)
    }
    if _slashed(old) != _slashed(new) and not _written_out(old, new):
        found.add("identifier")
    was, now = _numbers(old), _numbers(new)
    if was != now:
        found.add("unit" if _digits(old) == _digits(new) else "number")
    return found


def _slashed(statement: Statement) -> set[str]:
    """ "src/a/b" is not "src/b/a"."""
    return set(_COMPOUND.findall(statement.text.lower()))


def _written_out(old: Statement, new: Statement) -> bool:
    """ "km per hour" for "km/h"."""
    return any(t.key in ("per", "or", "and") for one in (old, new) for t in one.tokens)


def _digits(statement: Statement) -> frozenset[str]:
    """Numbers as written, units aside: tells 5 GB and 5 MB apart from 5 GB and 6 GB."""
    numbers = (token for token in statement.tokens if token.kind == "number")
    return frozenset(
        number.group() if (number := _WRITTEN.search(token.raw)) else token.key for token in numbers
    )


def _numbers(statement: Statement) -> frozenset[tuple[str, str]]:
    """A bare "one" is mostly a pronoun or an article, so it counts only with a unit."""
    return frozenset(
        (token.key, token.unit)
        for token in statement.tokens
        if token.kind == "number" and (token.raw.lower() != "one" or token.unit)
    )


def _polarity(old: Statement, new: Statement) -> set[str]:
    found = set()
    if old.negations != new.negations or (old.negations and _negated(old) != _negated(new)):
        found.add("negation")
    if old.persons and new.persons and old.persons != new.persons:
        found.add("person")
    if ("?" in old.text) != ("?" in new.text):
        found.add("question")
    return found


def _negated(statement: Statement) -> set[tuple[str, ...]]:
    """What each negation reaches: the two words behind it."""
    tokens = [t for t in statement.tokens if t.negation or t.content]
    return {
        tuple(following.concept or following.key for following in tokens[place + 1 : place + 3])
        for place, token in enumerate(tokens)
        if token.negation
    }


def _words(left: Remainder, old: Statement, new: Statement) -> set[str]:
    found = {"antonym"} if opposite(*left.worded) else set()
    if not (left.old or left.new) or left.weak:
        return found
    if _named(left):
        found.add("name")
    elif left.old and left.new:
        found.add("word")
    else:
        found.add("detail")
    return found


def _named(left: Remainder) -> bool:
    """A capital in mid-sentence names something; at the start only if it stands for another."""
    if any(token.capital for token in (*left.old, *left.new)):
        return True
    first = [
        {token.key for token in side if token.initial and token.raw[:1].isupper()}
        for side in (left.old, left.new)
    ]
    return all(first)
