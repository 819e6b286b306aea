"""Names of entities: what makes two spellings the same entity, and what never does.

Case, width, white space, what is invisible, the kind of dash or apostrophe and surrounding
punctuation don't tell two entities apart. Accents, scripts, inner punctuation and signs that carry
meaning do: `C`, `C++` and `C#`, `BH-7` and `BH-9`, `O'Shea` and `Oshea` stay what they are.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from memory_app.domain.text import clarify, clean, visible

NAME_LIMIT = 200
TYPE_LIMIT = 60
DESCRIPTION_LIMIT = 2_000
RELATION_LIMIT = 100
# Folding makes up to 18 characters of one. What is longer than the column keeps its start and a digest.
_KEY_LIMIT = 2 * NAME_LIMIT
_TYPE_KEY_LIMIT = 2 * RELATION_LIMIT
_DIGEST = 32

_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_APOSTROPHES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "＇": "'", "“": '"', "”": '"'})
# Closing signs like + # % & are part of a name (C++, C#); these around one are not.
_LEADING = re.compile(r"^(?:[\s\"'`*_~(\[{<«»„‚¿¡,;:!?…]|-(?!\d)|\.(?!\w))+")
# "-5 °C" is below zero. "A*" and "C--" are names of their own; "*A*" and "A -" are decoration.
_SIGN = re.compile(r"^.*\w(?:\*|'|--)$")
_TRAILING = re.compile(r"[\s\"'`*_~)\]}>«»“,;:.!?…。、-]+$")


def clean_name(value: object, *, field: str = "name") -> str:
    """A name as it is shown. Raises `InvalidArgument` for an empty, over-long or unfit one."""
    return clean(value, field=field, limit=NAME_LIMIT, least=1, lines=False)


def name_key(name: str) -> str:
    """What is unique per bank. Never empty for a name that isn't: pure signs are their own key."""
    folded = _folded(name)
    bare = _LEADING.sub("", folded)
    if bare == folded and (sign := _SIGN.search(bare)):
        return _bounded(sign[0], _KEY_LIMIT)
    return _bounded(_TRAILING.sub("", bare) or folded, _KEY_LIMIT)


def type_key(relation: str) -> str:
    """A relation's type without case and with one kind of separator: `LIVES_IN` is `lives in`."""
    key = " ".join(re.sub(r"[\s_\-]+", " ", _folded(relation)).split())
    return _bounded(key, _TYPE_KEY_LIMIT)


def _bounded(key: str, limit: int) -> str:
    if len(key) <= limit:
        return key
    return key[: limit - _DIGEST] + hashlib.sha256(key.encode()).hexdigest()[:_DIGEST]


def _folded(text: str) -> str:
    clear = clarify(visible(text)).translate(_APOSTROPHES)
    plain = unicodedata.normalize("NFKC", clear).casefold().replace("i\u0307", "i")
    return " ".join(_DASHES.sub("-", unicodedata.normalize("NFC", plain)).split())
