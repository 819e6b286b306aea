"""Words as the lexical channel sees them: one folding for what is stored and what is asked.

The result is plain text of space-separated words for `to_tsvector`, whose configuration (the bank's
language) stems and drops stop words. Splitting happens here, so that two Unicode forms, full-width
letters, curly apostrophes, accents and scripts without spaces meet the same words on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache

import regex

from memory_app.domain.irregular import BASE_FORMS
from memory_app.domain.text import visible

_LONGEST_WORD = 60
_APOSTROPHE = r"['‘’ʼ´`]"
_POSSESSIVE = regex.compile(rf"(?<=\p{{L}}){_APOSTROPHE}s\b")
_RUN = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_ASCII_RUN = re.compile(r"[a-z0-9]+")  # the same of folded ASCII, in half the time
# Scripts that are written without spaces, or in which spacing is optional.
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]+"
)
_ACCENTED = regex.compile(r"(?<=[a-z\p{Greek}])\p{Mn}+")
# Vowel points and the mark that only widens a word: readers write them or don't.
_POINTS = regex.compile(
    r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
)
# Letters that stand for a plain one on other keyboards and don't decompose to it.
_PLAIN = str.maketrans(
    {
        **dict(zip("łøđðħıŀŧёأإآٱىک", "lodðhiltеاااايك", strict=True)),
        **{"ð": "d", "þ": "th", "æ": "ae", "œ": "oe"},
    }
)
# Signs that make another word: C++, C#, A+, .NET. PostgreSQL's parser would drop them.
_SIGNED = re.compile(r"\b([^\W\d_]\w*)(\+\+|[+#♯](?!\w))")
_DOTTED = re.compile(r"(?<!\.)\.([^\W\d_]\w*)")
_DOTTED_ALONE = re.compile(r"(?<![\w.])\.([^\W\d_]\w*)")
_SAID = {"++": "plusplus", "+": "plus", "#": "sharp", "♯": "sharp"}
_QUESTION_WORDS = frozenset(
    ("what", "when", "where", "who", "whom", "whose", "which", "why", "how", "did", "does", "do")
)
# Not from `calendar`: those follow the process's locale.
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def fold_words(text: str) -> list[str]:
    """The words of a text in order: NFKC, case folded, Latin accents off, some scripts in pairs."""
    return list(_words(text, single=False))


def lexical_document(
    *,
    title: str = "",
    content: str,
    author: str = "",
    date: datetime | str | None = None,
    tags: Iterable[str] = (),
) -> str:
    """What is indexed for one cell: its text, and the title, author, date and tags of its memory.

    `author` is a name, not an id. A date is written out as words (weekday, day, month, year), in
    the zone it was given with; a date nobody could parse is taken as text.
    """
    when = date if isinstance(date, str) else " ".join(date_words(date))
    around = (author, when, " ".join(tags))
    words = [*_words(title, single=True), *_words(content, single=True)]
    return " ".join([*words, *(word for part in around for word in _recurring(part))])


def lexical_query(text: str) -> str:
    """What is asked: the query's words without those that only make it a question.

    A query of nothing but such words keeps them, so that it still finds its own text.
    """
    words = list(dict.fromkeys(fold_words(text)))
    return " ".join([word for word in words if word not in _QUESTION_WORDS] or words)


def count_words(document: str) -> int:
    """The length of a `lexical_document`, for BM25."""
    return document.count(" ") + 1 if document else 0


def date_words(date: datetime | None) -> list[str]:
    """`monday 8 may 2023`, as the day is in the zone that the date carries."""
    if date is None:
        return []
    return [_WEEKDAYS[date.weekday()], str(date.day), _MONTHS[date.month - 1], str(date.year)]


@lru_cache(maxsize=1_024)
def _recurring(text: str) -> tuple[str, ...]:
    """The words of what many memories share."""
    return tuple(_words(text, single=True))


def _words(text: str, *, single: bool) -> Iterator[str]:
    """`single` is for what is stored: more ways to ask for the same lead there."""
    folded = _spelled(_fold(text), both=single)
    if folded.isascii():  # no script that is written without spaces
        for run in _ASCII_RUN.findall(folded):
            if len(run) <= _LONGEST_WORD:
                yield BASE_FORMS.get(run, run)
            else:
                yield from _pieces(run)
        return
    for match in _RUN.finditer(folded):
        run = match.group()
        place = 0
        for part in _UNSPACED.finditer(run):
            yield from _pieces(run[place : part.start()])
            yield from _pairs(part.group(), single=single)
            place = part.end()
        yield from _pieces(run[place:])


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", visible(text, joiners=False)).casefold()
    plain = str(_POSSESSIVE.sub("", plain))
    if plain.isascii():
        return plain
    plain = _POINTS.sub("", plain.translate(_PLAIN))
    # Only Latin and Greek lose their marks: elsewhere they make another letter (й, が).
    stripped: str = _ACCENTED.sub("", unicodedata.normalize("NFD", plain))
    return unicodedata.normalize("NFKC", stripped)


def _spelled(text: str, *, both: bool) -> str:
    """Words with their signs as letters, `c++` as `cplusplus`; `both` keeps the bare word beside it."""

    bare = r" \1" if both else ""
    if not _SAID.keys().isdisjoint(text):

        def said(found: re.Match[str]) -> str:
            return f"{found.expand(bare)} {found[1]}{_SAID[found[2]]} "

        text = _SIGNED.sub(said, text)
    return (_DOTTED if both else _DOTTED_ALONE).sub(rf"{bare} dot\1 ", text)


def _pieces(word: str) -> Iterator[str]:
    """The base form; a very long word in parts, since PostgreSQL ignores those over 2 kB."""
    if len(word) <= _LONGEST_WORD:
        if word:
            yield BASE_FORMS.get(word, word)
        return
    for start in range(0, len(word), _LONGEST_WORD):
        yield word[start : start + _LONGEST_WORD]


def _pairs(run: str, *, single: bool) -> Iterator[str]:
    """Overlapping pairs of characters; with `single` also each one, for one-letter queries."""
    if len(run) == 1 or single:
        yield from run
    for start in range(len(run) - 1):
        yield run[start : start + 2]
