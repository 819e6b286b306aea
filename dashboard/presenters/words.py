"""A word-by-word difference of two texts, as pieces that a template marks up."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LIMIT = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    kind: Literal["same", "gone", "new"]
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """Pieces in reading order. Texts of more than 4,000 words are compared by line."""
    old, new = _split(before), _split(after)
    if len(old) + len(new) > 2 * _LIMIT:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return list(_pieces(old, new))


def _split(text: str) -> list[str]:
    return _WORD.findall(text)


def _pieces(old: list[str], new: list[str]) -> Iterator[Piece]:
    for step, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if step == "equal":
            yield Piece(kind="same", text="".join(old[i1:i2]))
            continue
        if i2 > i1:
            yield Piece(kind="gone", text="".join(old[i1:i2]))
        if j2 > j1:
            yield Piece(kind="new", text="".join(new[j1:j2]))
