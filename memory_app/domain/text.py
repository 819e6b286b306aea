"""What a text may be, and how two texts are compared: one place for every door."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable

import regex

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.domain.notation import parse_notation

CONTENT_LIMIT = 10_000
DOCUMENT_LIMIT = 1_000_000
TITLE_LIMIT = 300
LABEL_LIMIT = 100
SOURCE_LIMIT = 300
TAG_LIMIT = 64
TAGS_LIMIT = 20
QUERY_LIMIT = 2_000

# Characters that show nothing and mean nothing: soft hyphens, spaces of no width, marks of byte order.
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060\ufeff]")
_JOINERS = re.compile("[\u200c\u200d]")
# Unicode's own list has fillers and selectors that count as letters and marks; the blank of Braille is
# in none.
_SHOWN = regex.compile(r"[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]")
_HALVES = re.compile("[\ud800-\udfff]")
_APOSTROPHES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "＇": "'", "“": '"', "”": '"'})


# What folding would take away though it tells two values apart: 10² from 102, 5½ from 51/2, megabits
# from megabytes, milliwatts from megawatts.
_RAISED = re.compile(r"(?<=[\d)])([⁺⁻]?[⁰¹²³⁴-⁹]+)")
_LOWERED = re.compile(r"(?<=\d)([₀-₉]+)")
_FRACTION = re.compile(r"(?<=\d)([¼-¾⅐-⅞↉])")
_BITS = re.compile(r"(?<=\d)(\s?)([MGT])b(?=(?:/s)?\b)")
_BYTES_A_SECOND = re.compile(r"(?<=\d)(\s?[MGT])Bps\b")
_NOT = re.compile(r"(?<![\w!?¡！？])[!！](?=[^\W\d])")
_MILLIWATTS = re.compile(r"(?<=\d)(\s?)mW(?=h?\b)")
# Letters and digits in turns, in both cases: passwords, keys and short ids mean their case.
_CODE = re.compile(r"(?<!\w)(?=\w{6})(?=\w*[a-z])(?=\w*[A-Z])[^\W_]*[A-Za-z]\d+[A-Za-z]\w*(?!\w)")


def clean(text: object, *, field: str, limit: int, least: int = 0, lines: bool = True) -> str:
    """The text as it is stored: NFC, outer white space off; nothing where nobody would see anything.

    Refuses what PostgreSQL or JSON can't hold (NUL, lone surrogates), what isn't text, and what is
    longer than `limit` or shorter than `least` characters. With `lines=False` line breaks become
    spaces.
    """
    if not isinstance(text, str):
        raise InvalidArgument(
            f"{field} must be a string, not {_kind(text)}.",
            hint=f"Send {field} as a JSON string.",
            field=field,
        )
    if "\x00" in text:
        raise InvalidArgument(
            f"{field} contains a NUL character.",
            hint="Remove the character U+0000 and send it again.",
            field=field,
        )
    if _HALVES.search(text):
        raise InvalidArgument(
            f"{field} contains half of a surrogate pair, which is not valid Unicode.",
            hint="Send whole characters, encoded as UTF-8.",
            field=field,
        )
    stored = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not lines:
        stored = " ".join(stored.split())
    if len(stored) > limit:
        raise ContentTooLong(
            f"{field} has {len(stored):,} characters; the limit is {limit:,}.",
            hint=f"Shorten {field}, or split it into several memories of one statement each.",
            field=field,
            details={"limit": limit, "length": len(stored)},
        )
    if not _SHOWN.search(stored):
        stored = ""
    if len(stored) < least:
        raise InvalidArgument(
            f"{field} must not be empty.",
            hint=f"Send {field} with at least {least} character that isn't white space.",
            field=field,
        )
    return stored


def visible(text: str, *, joiners: bool = True) -> str:
    """The text without what nobody sees; `joiners` of emoji and of Persian words stay on demand."""
    text = _INVISIBLE.sub("", text)
    return text if joiners else _JOINERS.sub("", text)


def clarify(text: str) -> str:
    """The text with values written so that folding can't make two of them one."""
    text = _RAISED.sub(r"^\1", text)
    text = _LOWERED.sub(r"_\1", text)
    text = _FRACTION.sub(r" \1", text)
    text = _BITS.sub(r"\1\2bit", text)
    text = _NOT.sub("not ", text)
    text = _BYTES_A_SECOND.sub(r"\1B/s", text)
    return _MILLIWATTS.sub(r"\1milliwatt", text)


def fold(text: str) -> str:
    """The form in which exact repeats are the same: NFKC, case folded, white space collapsed.

    The case of codes like `aB3xK9` stays, and so does what tells two values apart (`clarify`).
    """
    plain = unicodedata.normalize("NFKC", clarify(visible(text)).translate(_APOSTROPHES))
    codes = iter(_CODE.findall(plain))
    folded = "".join(part + next(codes, "") for part in map(str.casefold, _CODE.split(plain)))
    return " ".join(folded.split())


def clean_label(value: object, *, field: str, limit: int = LABEL_LIMIT) -> str | None:
    """A category, collection, project or the like: one line, or None when nothing was given."""
    if value is None:
        return None
    return clean(value, field=field, limit=limit, lines=False) or None


def clean_tags(tags: object, *, field: str = "tags") -> tuple[str, ...]:
    """Tags lower-cased, folded together, in the order given.

    A string is taken as the JSON of a list or as a comma-separated one. Refuses more than 20, one
    longer than 64 characters, a comma inside a tag, an empty one, the word null and anything that
    isn't text.
    """
    if tags is None:
        return ()
    if isinstance(tags, str):
        tags = _listed(tags)
    if not isinstance(tags, (list, tuple)):
        raise InvalidArgument(
            f"{field} must be a list of strings, not {_kind(tags)}.",
            hint=f'Send {field} as ["first", "second"].',
            field=field,
        )
    found = dict.fromkeys(_clean_tag(tag, field) for tag in tags)
    if len(found) > TAGS_LIMIT:
        raise InvalidArgument(
            f"{field} has {len(found)} entries; at most {TAGS_LIMIT} are kept on one memory.",
            hint="Keep the tags you will filter by.",
            field=field,
            details={"limit": TAGS_LIMIT},
        )
    return tuple(found)


def fold_tag(tag: str) -> str:
    """The form in which a tag is stored, and in which a filter has to ask for it.

    Folding it again changes nothing, so it doesn't matter how many doors have done it.
    """
    plain = unicodedata.normalize("NFKC", visible(tag)).casefold().replace("i\u0307", "i")
    return " ".join(unicodedata.normalize("NFKC", plain).casefold().split())


def unite_tags(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Both sets of tags, the first's order first, at most the limit."""
    return list(dict.fromkeys([*first, *second]))[:TAGS_LIMIT]


def cut(text: str, limit: int) -> tuple[str, bool]:
    """At most `limit` characters, ending between two graphemes; whether anything was left off."""
    if len(text) <= limit:
        return text, False
    kept = 0
    for match in regex.finditer(r"\X", text):
        if match.end() > limit:
            break
        kept = match.end()
    return text[:kept], True


def slug(text: str, *, fallback: str) -> str:
    """A readable, URL-safe name in any script; `fallback` where nothing readable is left."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i")
    words = re.sub(r"[^\w]+", "-", plain, flags=re.UNICODE)
    return words.strip("-_")[:60].strip("-_") or fallback


def _clean_tag(tag: object, field: str) -> str:
    """Checked as it is stored: folding makes some characters longer, and commas of wide ones."""
    given = clean(tag, field=field, limit=TAG_LIMIT, least=1, lines=False)
    label = clean(fold_tag(given), field=field, limit=TAG_LIMIT, least=1, lines=False)
    if "," in label:
        raise InvalidArgument(
            f"{field} contains {label!r}: a tag can't contain a comma.",
            hint="Send the parts as separate tags.",
            field=field,
        )
    if label == "null":
        raise InvalidArgument(
            f"{field} contains the word null, which clients send for nothing.",
            hint=f"Leave it out of {field}; a tag of that name can't be told from none.",
            field=field,
        )
    return label


def _listed(tags: str) -> list[object]:
    """Some clients send a list as its JSON."""
    if tags.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):
            return list(parse_notation(tags))
    return [part for part in tags.split(",") if part.strip()]


def _kind(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)
