"""Why two names may be one thing's, judged by the names alone. Pure; the reasons are never acted on.

Names that differ in a number or an id (BH-7, BH-9), in a sign that carries meaning (C, C++) or in a
word that tells editions apart (draft, final) are never variants, however alike they look.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_NUMBERS = re.compile(r"\d+")
# Joints of a name: spacing, hyphens, apostrophes, dots. Signs such as + # & are part of it.
_JOINTS = re.compile(r"[\s\-'.,_/·:()\"]+")
_SMALL = frozenset(("of", "and", "the", "for", "in", "de", "la", "von", "van", "du", "und", "der"))
# Legal forms; those that are spelled out stand for their short ones.
_FORMS = {
    "incorporated": "inc", "limited": "ltd", "corporation": "corp", "company": "co", "inc": "inc",
    "ltd": "ltd", "corp": "corp", "co": "co", "llc": "llc", "gmbh": "gmbh", "ag": "ag", "sa": "sa",
    "bv": "bv", "plc": "plc", "oy": "oy", "ab": "ab", "kg": "kg",
}  # fmt: skip
_TITLES = frozenset(("dr", "prof", "mr", "mrs", "ms", "sir", "herr", "frau", "mme", "the"))
_EDITIONS = frozenset(
    re.findall(
        r"\w+",
        "draft final old new test testing prod production staging dev beta alpha preview legacy backup "
        "copy archive north south east west upper lower left right first second third last junior "
        "senior jr sr primary secondary main internal external public private read write input output "
        "source target before after master replica spring summer autumn winter january february march "
        "april may june july august september october november december",
    )
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"})

# How sure the name alone makes one; the bar for a proposal is in `pairing`.
CONFIDENCE = {
    "same letters": 0.9,
    "same name with a form or title": 0.85,
    "same words in another order": 0.85,
    "same letters without accents": 0.75,
    "initials": 0.72,
    "spelled alike": 0.75,
    "singular and plural": 0.6,
    "abbreviated first name": 0.55,
    "part of the name": 0.4,
}


def why_alike(key: str, other: str) -> str:
    """The reason two keys may name one thing; empty where they name different things."""
    if key == other or why_differ(key, other):
        return ""
    one, two = words(key), words(other)
    if letters(key) == letters(other):
        return "same letters"
    if sorted(one) == sorted(two):
        return "same words in another order"
    if plain(one) == plain(two) and plain(one) and _one_form(one, two):
        return "same name with a form or title"
    if accentless(key) & accentless(other):
        return "same letters without accents"
    if initials(one) & {letters(other)} or initials(two) & {letters(key)}:
        return "initials"
    if len(one) == len(two):
        return _one_word_apart(one, two)
    shorter, longer = sorted((one, two), key=len)
    return "part of the name" if shorter and shorter == longer[: len(shorter)] else ""


def why_differ(key: str, other: str) -> str:
    """What tells two names apart for good: a number, or a word that tells editions apart."""
    if _numbers(key) != _numbers(other):
        return "number"
    if letters(key) == letters(other):
        return ""
    return "edition" if editions(words(key)) != editions(words(other)) else ""


def words(key: str) -> list[str]:
    """The words of a key, joints off."""
    return [part for part in _JOINTS.split(key) if part]


def letters(key: str) -> str:
    """A key without its joints: what spacing and hyphens can't change."""
    return _JOINTS.sub("", key)


def editions(parts: Sequence[str]) -> Counter[str]:
    """The words that tell editions, places and turns of one thing apart."""
    return Counter(part for part in parts if part in _EDITIONS)


def plain(parts: Sequence[str]) -> tuple[str, ...]:
    """The words without legal forms and titles."""
    return tuple(part for part in parts if part not in _FORMS and part not in _TITLES)


def _one_form(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether both have the same legal form, or one has none."""
    forms = [{_FORMS[part] for part in parts if part in _FORMS} for parts in (one, two)]
    return forms[0] == forms[1] or not all(forms)


def accentless(key: str) -> set[str]:
    """The letters without accents, and with umlauts spelled out; empty in other scripts."""
    joined = letters(key)
    if not joined.isascii() and not any("LATIN" in unicodedata.name(c, "") for c in joined):
        return set()
    bare = "".join(c for c in unicodedata.normalize("NFKD", joined) if not unicodedata.combining(c))
    return {bare, joined.translate(_UMLAUTS)}


def initials(parts: Sequence[str]) -> set[str]:
    """What a name of three or more words may be shortened to, with and without its small words."""
    return {
        "".join(part[0] for part in chosen)
        for chosen in (parts, [part for part in parts if part not in _SMALL])
        if len(chosen) > 2
    }


def one_deletion(word: str) -> set[str]:
    """Every form of a long word with one letter missing: words one slip apart share one."""
    if len(word) < 5:
        return {word}
    return {word} | {word[:place] + word[place + 1 :] for place in range(len(word))}


def _one_word_apart(one: Sequence[str], two: Sequence[str]) -> str:
    apart = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(apart) != 1:
        return ""
    short, long = sorted(apart[0], key=len)
    if len(one) > 1 and apart[0] == (one[0], two[0]) and len(short) == 1 and long[0] == short:
        return "abbreviated first name"
    if len(short) > 3 and long in (short + "s", short + "es"):
        return "singular and plural"
    return "spelled alike" if _one_slip(short, long) else ""


def _one_slip(short: str, long: str) -> bool:
    """One letter wrong, missing or swapped in a word of at least five."""
    if len(short) < 5 or len(long) - len(short) > 1 or _NUMBERS.search(short + long):
        return False
    if len(short) == len(long):
        wrong = [place for place in range(len(short)) if short[place] != long[place]]
        if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
            return short[wrong[0]] == long[wrong[1]] and short[wrong[1]] == long[wrong[0]]
        return len(wrong) == 1
    return short in one_deletion(long)


def _numbers(key: str) -> list[str]:
    return _NUMBERS.findall(key)
