"""Cutting a text into cells that each fit the embedding model's window.

A short text is one cell. The chunker is a bank's setting, fixed at creation, since changing it
would change what every stored vector stands for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.text import cut

Fits = Callable[[str], bool]

_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?。！？…])\s+|\n")
# A cell of one unbroken run: a quarter of the 1,000 characters that a 256-token window holds at
# worst.
_HARD_CUT = 250
_LONGEST_PROBE = 4_000


def split(text: str, *, chunker: str, fits: Fits) -> list[str]:
    """The cells of `text`, in order. Joined by the white space between them they are the text.

    `fits` says whether a candidate is inside the model's window. Raises `InvalidArgument` for an
    unknown chunker. Linear in the text's length.
    """
    try:
        cutter = CHUNKERS[chunker]
    except KeyError:
        raise InvalidArgument(
            f"There is no chunker {chunker!r}.",
            hint=f"Choose one of {', '.join(sorted(CHUNKERS))}.",
            field="chunker",
        ) from None
    if len(text) <= _LONGEST_PROBE and fits(text):
        return [text]
    return list(cutter(text, fits))


def _paragraphs(text: str, fits: Fits) -> Iterator[str]:
    yield from _packed(_pieces(text, fits, _PARAGRAPH, then=_SENTENCE), "\n\n", fits)


def _sentences(text: str, fits: Fits) -> Iterator[str]:
    yield from _packed(_pieces(text, fits, _SENTENCE, then=None), " ", fits)


def _pieces(
    text: str, fits: Fits, pattern: re.Pattern[str], *, then: re.Pattern[str] | None
) -> Iterator[str]:
    for piece in pattern.split(text):
        trimmed = piece.strip()
        if not trimmed:
            continue
        if len(trimmed) <= _LONGEST_PROBE and fits(trimmed):
            yield trimmed
        elif then is not None:
            yield from _pieces(trimmed, fits, then, then=None)
        else:
            yield from _runs(trimmed)


def _runs(text: str) -> Iterator[str]:
    """Pieces of a sentence that doesn't fit: at white space, else between two graphemes."""
    rest = text
    while rest:
        head, shortened = cut(rest, _HARD_CUT)
        if shortened and " " in head.strip():
            head = head[: head.rindex(" ")]
        # One grapheme of more than a cell's length: cut inside it rather than never end.
        head = head or rest[:_HARD_CUT]
        yield head.strip() or head
        rest = rest[len(head) :].lstrip()


def _packed(pieces: Iterator[str], joint: str, fits: Fits) -> Iterator[str]:
    """Neighbouring pieces put together while they fit, so that no cell is a mere fragment."""
    held = ""
    for piece in pieces:
        joined = f"{held}{joint}{piece}" if held else piece
        if held and (len(joined) > _LONGEST_PROBE or not fits(joined)):
            yield held
            held = piece
        else:
            held = joined
    if held:
        yield held


CHUNKERS: dict[str, Callable[[str, Fits], Iterator[str]]] = {
    "paragraphs": _paragraphs,
    "sentences": _sentences,
}
