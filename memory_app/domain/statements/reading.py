"""A statement as the comparison sees it: tokens with one spelling for each value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memory_app.domain.statements.lexicon import (
    LIGHT,
    MONTHS,
    NEGATIONS,
    NOT_NEGATIONS,
    ORDINALS,
    PERSONS,
    SHORT_WEEKDAYS,
    SYNONYMS,
    WEEKDAYS,
    words,
)
from memory_app.domain.statements.moments import CLOCK, DATE, clock_of, date_of
from memory_app.domain.statements.quantities import QUANTITY, WORDED, measured, spelled
from memory_app.domain.statements.spelling import plain, stem

Kind = Literal["date", "time", "weekday", "month", "number", "identifier", "word", "mark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    kind: Kind
    key: str  # the value in its one spelling; a word's lower-case form
    raw: str
    stem: str = ""
    concept: str = ""
    unit: str = ""
    possessive: bool = False
    initial: bool = False
    negation: bool = False

    @property
    def light(self) -> bool:
        """A word without a fact of its own. Capitals in mid-sentence make US and IT names."""
        return self.kind == "word" and self.key in LIGHT and not self.capital

    @property
    def capital(self) -> bool:
        upper = len(self.raw) > 1 and self.raw.isupper()
        return upper or (not self.initial and self.raw[:1].isupper() and self.raw != "I")

    @property
    def content(self) -> bool:
        return self.kind != "mark" and not self.light and not self.negation


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    text: str
    tokens: tuple[Token, ...]

    @property
    def content(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.content)

    def keys(self, kind: Kind) -> frozenset[str]:
        return frozenset(token.key for token in self.tokens if token.kind == kind)

    @property
    def negations(self) -> int:
        return sum(token.negation for token in self.tokens)

    @property
    def persons(self) -> frozenset[str]:
        return frozenset(
            PERSONS[token.key]
            for token in self.tokens
            if token.kind == "word" and token.key in PERSONS and not token.capital
        )


_CONCEPTS: Final[dict[str, str]] = {
    stem(word): stem(line.split()[0]) for line in SYNONYMS for word in line.split()
}
_CJK: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_LETTER: Final = rf"[^\s\d_!-/:-@\[-^`{{-~\u2026\u3001\u3002\u300c\u300d\u30fb\u2022\u00b7{_CJK}]"
_SCAN: Final = re.compile(
    r"(?P<address>https?://[^\s,;]*[^\s,;.!?)]|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?<!\w)(?:~?/[\w.-]+){2,}|(?<![\w./])\.{1,2}/(?:[\w./-]*[\w/])?)"
    rf"|(?P<date>{DATE})"
    rf"|(?P<time>{CLOCK})"
    r"|(?P<dotted_number>\b\d+\+(?![\w+])|\b0-(?![\w-])|\bv?\d+(?:\.\d+){2,}(?:-\w+)?\b|\bv\d+(?:\.\d+)*\b)"
    rf"|(?P<number>{QUANTITY})"
    rf"|(?P<worded_number>{WORDED})"
    rf"|(?P<symbolic>\b[a-z]\+\+|\b(?:ab|[a-fo])[+-](?![\w+-])|\b[acfj]\#|(?<!\w)\.net\b|\b\w+\.(?:js|py|ts|io|com|org|net|dev|md|ya?ml|json|toml)\b)"
    rf"|(?P<option>(?<![\w-])--?[a-z][\w-]*)"
    rf"|(?P<coded>(?:{_LETTER}|[_])*\d(?:{_LETTER}|[\d_])*(?:[-_./:#](?:{_LETTER}|[\d_])+)*"
    rf"|{_LETTER}+(?:[-_./:#]{_LETTER}+){{0,12}}[-_./:#]?(?=[\d_])(?:{_LETTER}|[\d_])+(?:[-_./:#](?:{_LETTER}|[\d_])+)*)"
    rf"|(?P<cjk>[{_CJK}])"
    r"|(?P<title>\b(?:dr|mr|mrs|ms|prof|st|jr|sr|vs|approx|no)\.(?=\s))"
    rf"|(?P<word>{_LETTER}+(?:['\-]{_LETTER}+)*'?)"
    r"|(?P<operator><=|>=|==|!=|->|=>|[<>=\u2264\u2265\u2260\u00b1\u00d7*^|~])"
    r"|(?P<mark>[.,;:!?()\"/&+])",
    re.IGNORECASE,
)
_CONTRACTED: Final = re.compile(r"^(.+?)(n't|'s|'m|'re|'ve|'ll|'d|')$", re.IGNORECASE)
# Contracted helpers that say something; "'d" is "would" or "had".
_HELPERS: Final = {"'ll": "will", "'d": "d"}
_MONTH_LEADS: Final = frozenset(
    words(
        """
            in of by since until till last next early late this every
        """
    )
)


def concept(root: str) -> str:
    """What a word's root stands for: the root of the word that speaks for its synonyms."""
    return _CONCEPTS.get(root, root)


@lru_cache(maxsize=4096)
def read_statement(text: str) -> Statement:
    """Read one statement; linear in its length, so a 10,000-character text is no trap."""
    clean = plain(text)
    return Statement(text=clean, tokens=tuple(_with_negations(list(_tokens(clean)))))


def _tokens(text: str) -> Iterator[Token]:
    initial = True
    before = ""
    for found in _SCAN.finditer(text):
        for token in _token(found, initial=initial, before=before):
            yield token
            initial = token.kind == "mark" and token.raw in '.!?:"'
            before = token.key


def _token(found: re.Match[str], *, initial: bool, before: str) -> Iterator[Token]:
    raw = found.group()
    low = raw.lower()
    group = found.group
    if group("date"):
        yield Token(kind="date", key=date_of(found), raw=raw)
    elif group("time"):
        yield Token(kind="time", key=clock_of(found), raw=raw)
    elif group("dotted_number"):
        yield Token(kind="number", key=low.removeprefix("v"), raw=raw)
    elif group("number"):
        value, unit = measured(
            group("digits"),
            currency=(group("currency") or "").lower(),
            tail=(group("tail") or "").lower(),
            unit=(group("unit") or "").lower(),
        )
        yield Token(kind="number", key=value, unit=unit, raw=raw)
    elif group("worded_number"):
        value, unit = spelled(
            group("worded").lower().replace(" and ", " "), unit=(group("worded_unit") or "").lower()
        )
        yield Token(kind="number", key=value, unit=unit, raw=raw)
    elif group("address"):
        yield Token(kind="identifier", key=low if "@" in raw else raw, raw=raw)
    elif group("symbolic") or group("option") or group("coded") or group("operator"):
        # BH-7 is bh-7, but a password with capitals inside is as it is written.
        secret = any(c.isupper() for c in raw[1:]) and any(c.islower() for c in raw)
        yield Token(kind="identifier", key=raw if secret else low, raw=raw)
    elif group("cjk"):
        yield Token(kind="word", key=raw, raw=raw, stem=raw, concept=raw)
    elif group("mark"):
        yield Token(kind="mark", key=raw, raw=raw)
    else:
        yield from _word(
            raw.removesuffix(".") if group("title") else raw, initial=initial, before=before
        )


def _word(raw: str, *, initial: bool, before: str) -> Iterator[Token]:
    contracted = _CONTRACTED.match(raw)
    possessive = negated = False
    ending = ""
    if contracted:
        raw, ending = contracted.groups()
        possessive = ending.lower() in ("'s", "'")
        negated = ending.lower() == "n't"
    low = raw.lower()
    if low == "cannot":
        low, raw, negated = "can", raw[:3], True
    if negated:
        yield _plain_word({"ca": "can", "wo": "will", "sha": "shall"}.get(low, low), raw, initial)
        yield Token(kind="word", key="not", raw="not", stem="not", concept="not")
        return
    if low in WEEKDAYS or (low in SHORT_WEEKDAYS and raw[0].isupper() and not initial):
        key = WEEKDAYS.get(low) or SHORT_WEEKDAYS[low]
        yield Token(kind="weekday", key=key, raw=raw)
    elif low in MONTHS and (
        low not in ("may", "march", "mar", "jan", "dec") or before in _MONTH_LEADS
    ):
        yield Token(kind="month", key=str(MONTHS[low]), raw=raw)
    elif low in ORDINALS and low != "second":
        yield Token(kind="number", key=str(ORDINALS[low]), raw=raw)
    else:
        # "real-time" is "real time", but Anne-Marie is one name.
        parts = raw.split("-") if raw[raw.find("-") + 1 :][:1].islower() else [raw]
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            yield _plain_word(
                part.lower(), part, initial and place == 0, possessive=possessive and last
            )
        if helper := _HELPERS.get(ending.lower()):
            yield _plain_word(helper, helper, initial=False)


def _plain_word(key: str, raw: str, initial: bool, *, possessive: bool = False) -> Token:  # noqa: FBT001
    root = stem(key)
    return Token(
        kind="word",
        key=key,
        raw=raw,
        stem=root,
        concept=concept(root),
        possessive=possessive,
        initial=initial,
    )


def _with_negations(tokens: list[Token]) -> Iterator[Token]:
    for place, token in enumerate(tokens):
        following = tokens[place + 1].key if place + 1 < len(tokens) else ""
        negation = (
            token.kind == "word"
            and token.key in NEGATIONS
            and not token.capital
            and (token.key, following) not in NOT_NEGATIONS
        )
        yield _negative(token) if negation else token


def _negative(token: Token) -> Token:
    return Token(
        kind="word", key=token.key, raw=token.raw, stem=token.stem, concept="not", negation=True
    )
