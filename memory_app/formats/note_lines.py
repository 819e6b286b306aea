"""What one list entry of a basic-memory note says: an observation, a relation, links in a sentence.

Brackets that hold a check box, a task mark or a timecode are no category, as in basic-memory itself;
a relation ends at its target or at one `(context)`, anything else is a sentence with links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OBSERVATION = re.compile(r"\s*[-*+]\s+\[([^\]\[()]{1,60})\](?!\()\s+(\S.*)$")
_ENTRY = re.compile(r"\s*[-*+]\s+(\S.*)$")
_CLOCK = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_TIMECODE = re.compile(rf"{_CLOCK}(?:\s+-\s+{_CLOCK})?$")
_RELATION = re.compile(
    r"(?:(?P<quote>[\"'])(?P<quoted>[^\"'\[\]]{1,100})(?P=quote)|(?P<plain>[^\[\]`\"']{1,60}?))?\s*"
    r"\[\[(?P<target>[^\[\]|]{1,200})(?:\|[^\]]*)?\]\]\s*(?:\((?P<context>[^()]*)\))?\s*$"
)
_WORDS_MOST = 3
# What a link without a word of its own says.
LINKS_TO = "links_to"
_LINK = re.compile(r"(?<!\\)\[\[([^\[\]|]{1,200})(?:\|([^\[\]]*))?\]\]")
_DIRECTIVE = "#bm:links_to"
# No memory is as long; what is longer is refused for that, whatever it says.
_LONGEST = 20_000
_DAY = r"\d{4}(?:-\d{2}(?:-\d{2}(?:T[\d:.+Z-]+)?)?)?"
# `@2026-07-27`, `@effective:2026-07-27`, `@effective:"June 10, 2026"`, `@effective[2026-06-10,...)`.
_WHEN = re.compile(
    rf"@(?:[A-Za-z]\w*)?(?:[\[(](?P<since>{_DAY})?,(?P<until>[^\[\]()]*)[\])]"
    rf"|:?\"(?P<worded>[^\"]{{4,60}})\"|:?(?P<day>{_DAY}))(?=\s)\s+"
)
_TAG = re.compile(r"(?<![\w&/#?=])#([^\W\d_][\w/-]{0,62})")
_TAGS_JOINED = re.compile(r"(?<!\S)#[^\W\d_][\w/-]*(?:#[^\W\d_][\w/-]*)+(?!\S)")
_TAG_ALONE = re.compile(r"#[^\W\d_][\w/#-]*")
_SPACES = re.compile(r"(\s+)")
_TICKS = re.compile("`+")
_HTML = re.compile(r"<(code|pre)\b[^<>]*>.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_ADDRESS = re.compile(r"(?<!\S)\S*(?:://|@)\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """`- [category] @when text #tag (context)`; without a category where tags alone mark it."""

    text: str
    category: str = ""
    tags: tuple[str, ...] = ()
    context: str = ""
    when: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """`- type [[Target]] (context)`."""

    type: str
    target: str
    context: str = ""


def observation(line: str) -> Observation | None:
    """The observation of a line, or None."""
    if len(line) > _LONGEST:
        return None
    found = _OBSERVATION.match(line)
    if found and _is_category(found[1].strip()):
        category, body = found[1].strip(), found[2].rstrip()
    elif (entry := _ENTRY.match(line)) and not entry[1].startswith("[") and tags_in(entry[1]):
        category, body = "", entry[1].strip()
    else:
        return None
    if body.endswith(_DIRECTIVE):
        return None
    when = _WHEN.match(body)
    body = body[when.end() :] if when else body
    text, context = _split_context(body)
    return Observation(
        text=_without_labels(text) or body,
        category=category,
        tags=tuple(tags_in(text)),
        context=context,
        when=(when["since"] or when["worded"] or when["day"] or "") if when else "",
        until=(when["until"] or "").strip() if when else "",
    )


def relation(line: str) -> Relation | None:
    """The relation of a list entry, or None: an unquoted type has three words at most."""
    entry = _ENTRY.match(_without_code(line)) if len(line) <= _LONGEST else None
    found = _RELATION.match(entry[1]) if entry else None
    if found is None:
        return None
    kind = (found["quoted"] or found["plain"] or LINKS_TO).strip()
    if not kind or (not found["quoted"] and len(kind.split()) > _WORDS_MOST):
        return None
    return Relation(
        type=kind, target=found["target"].strip(), context=(found["context"] or "").strip()
    )


def links_in(text: str) -> list[str]:
    """The targets of `[[links]]`, in their order; nothing in code."""
    found = _LINK.findall(_without_code(text)) if len(text) <= _LONGEST else ()
    return list(dict.fromkeys(one[0].strip() for one in found))


def without_links(text: str) -> str:
    """The text with links as their words."""
    plain = _LINK.sub(lambda found: (found[2] or found[1]).strip(), text)
    return plain.rstrip().removesuffix(_DIRECTIVE).rstrip()


def tags_in(text: str) -> list[str]:
    """`#words`; not issue numbers, parts of addresses or anything in code."""
    plain = _ADDRESS.sub(" ", _without_code(text))
    apart = _TAGS_JOINED.sub(lambda found: found[0].replace("#", " #"), plain)
    return list(dict.fromkeys(_TAG.findall(apart)))


def _without_code(text: str) -> str:
    """A space where code or a comment stands: backticks close by as many as have opened."""
    ticks = list(_TICKS.finditer(text))
    closing: dict[int, list[int]] = {}
    for place, run in enumerate(ticks):
        closing.setdefault(len(run[0]), []).insert(0, place)
    kept, left, place = [], 0, 0
    while place < len(ticks):
        same = closing[len(ticks[place][0])]
        while same and same[-1] <= place:
            same.pop()
        if same:
            kept += [text[left : ticks[place].start()], " "]
            place = same[-1]
            left = ticks[place].end()
        place += 1
    return _HTML.sub(" ", "".join([*kept, text[left:]]))


def _split_context(text: str) -> tuple[str, str]:
    """What stands before a `(context)` at the end, and that."""
    place = text.rfind("(")
    if place < 0 or not text.endswith(")") or ")" in text[place:-1]:
        return text, ""
    return text[:place].rstrip(), text[place + 1 : -1].strip()


def _without_labels(text: str) -> str:
    """Tags at the end are labels; one inside the sentence is part of it."""
    words = _SPACES.split(text)
    while len(words) > 1 and (not words[-1].strip() or _TAG_ALONE.fullmatch(words[-1])):
        words.pop()
    return "".join(words).strip()


def _is_category(name: str) -> bool:
    if _TIMECODE.match(name) or "#" in name:
        return False
    return bool(name) and (len(name) > 1 or (name.isalnum() and name not in "xX"))
