"""A later value of one attribute, told by the words alone: "is now", "moved to", open and closed.

As strict as `ends`, which it serves: the same subject word for word, one value in one place, and
a word that says that it changed.
"""

import re
from functools import lru_cache
from typing import Final

from memory_app.domain.statements import Statement, Token, read_statement
from memory_app.domain.statements.comparing import opposite
from memory_app.domain.statements.frames import VALUED, Frame, read_frame, root, said
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.outlook import asserted, general, outlook, restates
from memory_app.domain.statements.particles import past
from memory_app.domain.statements.spelling import plain, stem
from memory_app.domain.statements.valuing import shape

_ARTICLES: Final = frozenset(words("the a an now currently already"))
_ADDING: Final = frozenset(words("also too additionally another besides plus only both"))
_WHEN: Final = (
    r"(?:as of|since|starting|effective|from)(?: (?:early|late|mid))?"
    r" (?:today|now on|(?:this|next|last) \w+|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?\w+)?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|version \S+|\d{4})(?: \d{4})?"
)
_FRONT: Final = re.compile(rf"^{_WHEN},? (?=\w)", re.IGNORECASE)
_BACK: Final = re.compile(rf",? {_WHEN}[.!]?$", re.IGNORECASE)
_NOW: Final = re.compile(r"\bnow\b", re.IGNORECASE)
_MOVING: Final = re.compile(
    r"\b(?:moved|relocated|migrated|transferred|renamed|rewritten|rewrote|ported)\b", re.IGNORECASE
)
_MOVED: Final = re.compile(
    r"^(?P<subject>.+?) (?:(?:has|have|was|were|is|are|got) )?(?:been |just |now |recently )*"
    r"(?P<verb>moved|relocated|migrated|transferred|renamed|rewritten|ported)"
    r" (?:over |back |up |down )?(?P<placing>to|into|in) (?P<after>[^,;]+?)[.!]?$",
    re.IGNORECASE,
)
_MOVED_BY_SOMEBODY: Final = re.compile(
    r"^(?:we|they|i|he|she)(?:'ve| have| has)? (?:just |now |recently |already )*"
    r"(?P<verb>moved|relocated|migrated|transferred|renamed|rewrote|ported)"
    r" (?P<subject>(?:the|our|my|all) .+?) (?:over )?(?P<placing>to|into|in) (?P<after>[^,;]+?)[.!]?$",
    re.IGNORECASE,
)
_STATED: Final = re.compile(r"\b(?:is|are)\W+\w\S*\W*$", re.IGNORECASE)
_RENAMING: Final = frozenset(("renamed",))
_REWRITING: Final = frozenset(("rewritten", "rewrote", "ported"))
_PLACED: Final = frozenset(words("in on at with"))
_HOLDING: Final = frozenset(
    stem(word) for word in words("sit base locate host keep store happen take live run file")
)
_MADE: Final = frozenset(
    stem(word)
    for word in words("write build own manage pay schedule deploy pin set call name lead")
)
_SPREADING: Final = frozenset(stem(word) for word in words("run use"))
_QUANTIFIERS: Final = frozenset(
    words("a an another one some most many few several half both other all every each no any")
)


@lru_cache(maxsize=256)
def tells_change(text: str) -> bool:
    """Whether the text could supplant another at all: asked once for each text, not each pair."""
    clean = plain(text)
    if len(clean) > 400 or not asserted(clean):
        return False
    if _NOW.search(clean) or _FRONT.match(clean) or _BACK.search(clean):
        return True
    if _moved(clean) is not None:
        return True
    # Reading the statement costs more than all of this: only where its end looks like a state.
    return _STATED.search(clean) is not None and _state(read_statement(clean)) is not None


def supplants(old: str, new: str) -> bool:
    """Whether the new text gives the one value of an attribute anew that the old one states."""
    if not tells_change(new) or not asserted(plain(old)):
        return False
    was, clean = read_statement(old), plain(new)
    if _several(was) or past(was) or was.negations:
        return False
    return _toggles(was, read_statement(new)) or _renewed(was, clean) or _moves(was, clean)


def _several(statement: Statement) -> bool:
    """Two clauses or a list: the end of one part isn't the end of all."""
    inner = statement.tokens[:-1]
    return any(token.raw in ".;!?," or token.key in ("and", "or", "but") for token in inner)


def _renewed(was: Statement, new: str) -> bool:
    """ "Kit lives in Ayr" and "Kit lives in Oban now"; "since May" and "as of 2026" say the same."""
    bare = _BACK.sub("", _FRONT.sub("", new))
    if bare == new and not _NOW.search(new):
        return False
    now = read_statement(bare)
    if now.negations or _several(now) or {token.key for token in now.tokens} & _ADDING:
        return False
    before, after = read_frame(was), read_frame(now)
    if not _same_lead(before, after):
        return False
    if _another_make(before, after):
        return True
    exclusive = restates(was, now) and _exclusive(before, after)
    return exclusive and outlook(was.text, new) in ("announced", "restated")


def _another_make(before: Frame, after: Frame) -> bool:
    """ "Kit's car is a Skoda" and "Kit's car is now a Kia"; but Leo may be a Scout and a Ranger."""
    makes = []
    for frame in (before, after):
        rest = [token for token in frame.rest if token.key != "now"]
        named = len(rest) > 1 and all(token.capital for token in rest[1:])
        if frame.verb is None or frame.verb.key not in BE or not named:
            return False
        if rest[0].key not in ("a", "an"):
            return False
        makes.append(said(rest[1:]))
    return makes[0] != makes[1] and not general(before)


def _exclusive(before: Frame, after: Frame) -> bool:
    """Whether a word for "now" is enough. Who is in one club now may still be in the other, what
    runs on one system and is sold in one country now may do so in more.
    """
    verb, rest = before.verb, before.rest
    if verb is None or not rest:
        return False
    if any(token.kind in VALUED for token in after.rest):
        return True
    if verb.key in BE:
        placed = len(rest) > 1 and rest[1].key in _PLACED
        return not general(before) and (not placed or root(rest[0]) in _HOLDING | _MADE)
    return root(verb) not in _SPREADING


def _same_lead(before: Frame, after: Frame) -> bool:
    """Word for word, the number of a noun included: one of our offices isn't our office."""
    return _single(before.lead) and _words(before.lead) == _words(after.lead)


def _single(lead: tuple[Token, ...]) -> bool:
    """Not some of several: "two gates", "most windows"."""
    return bool(lead) and lead[0].kind != "number" and lead[0].key not in _QUANTIFIERS


def _words(tokens: tuple[Token, ...]) -> list[tuple[str, bool]]:
    return [(token.key, token.possessive) for token in tokens if token.key not in _ARTICLES]


def _moved(text: str) -> re.Match[str] | None:
    if _MOVING.search(text) is None:  # the forms below walk through the whole text
        return None
    return _MOVED_BY_SOMEBODY.match(text) or _MOVED.match(text)


def _moves(was: Statement, new: str) -> bool:
    """ "The wiki is on Confluence" and "The wiki moved to Notion": a thing's place, name or language.

    People and groups move in more ways than one ("The team moved to Slack").
    """
    found = _moved(_BACK.sub("", _FRONT.sub("", new)))
    if found is None or " from " in found.group().lower():
        return False
    frame = read_frame(was)
    subject = read_statement(found["subject"])
    if general(frame) or _words(frame.lead) != _words(tuple(subject.tokens)) or frame.verb is None:
        return False
    value = _value_of(frame, found["verb"].lower())
    # Behind a small word a capital is a name's, not the sentence's.
    told = read_statement(f"to {found['after']}").tokens[1:]
    after = [token for token in told if token.kind != "mark"]
    if not value or said(value) >= said(after):
        return False
    return shape(tuple(value)) == shape(tuple(after))


def _value_of(frame: Frame, moved: str) -> list[Token]:
    """What the old statement says of the place, the name or the language; nothing if of none."""
    verb, rest = frame.verb, list(frame.rest)
    if verb is None:
        return []
    if verb.key in BE and rest and rest[0].kind == "word":
        if moved in _RENAMING:
            return rest[1:] if rest[0].stem in (stem("called"), stem("named")) else _bare(rest)
        if rest[0].stem == stem("written") and rest[1:2] and rest[1].key == "in":
            return rest[2:] if moved in _REWRITING else []
    if moved in _RENAMING or moved in _REWRITING:
        return []
    held = verb.key in BE or root(verb) in _HOLDING
    place = next((i for i, token in enumerate(rest[:2]) if token.key in _PLACED), None)
    if not held or place is None or (place == 1 and root(rest[0]) not in _HOLDING | {"place"}):
        return []
    return rest[place + 1 :]


def _bare(rest: list[Token]) -> list[Token]:
    """ "The branch is master": a name and nothing else."""
    return rest if len(rest) == 1 else []


def _state(statement: Statement) -> tuple[Frame, Token] | None:
    """ "Tender 77 is open": a subject, a form of be, and one word."""
    tokens = tuple(token for token in statement.tokens if token.kind != "mark")
    if len(tokens) < 3 or tokens[-2].key not in ("is", "are") or tokens[-1].kind != "word":
        return None
    if statement.negations or "," in statement.text or tokens[0].key in ("if", "when", "a", "an"):
        return None
    return Frame(lead=tokens[:-2], verb=tokens[-2], rest=tokens[-1:]), tokens[-1]


def _toggles(was: Statement, now: Statement) -> bool:
    """ "The flag is on" and "The flag is off": of two opposite states the later one holds."""
    before, after = _state(was), _state(now)
    if before is None or after is None:
        return False
    return _same_lead(before[0], after[0]) and opposite([before[1]], [after[1]])
