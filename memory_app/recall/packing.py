"""The best hits that fit a number of tokens; never an empty answer while a match exists (F6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from memory_app.domain.text import cut
from memory_app.recall.values import Hit

# Id, slug, dates, author, tags and score of a hit, in the text that a model reads.
_FRAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What fits, in order, and how many did not."""

    hits: tuple[Hit, ...]
    left_out: int
    tokens: int


def count_tokens(text: str) -> int:
    """A fair guess without any model's tokenizer: four ASCII characters or one other a token."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return (ascii_characters + 3) // 4 + len(text) - ascii_characters


def size_of(hit: Hit) -> int:
    """The tokens that a hit takes in an answer."""
    return _FRAME + count_tokens(hit.memory.title) + count_tokens(hit.memory.content)


def pack(hits: Sequence[Hit], *, budget: int) -> Packed:
    """The hits in order without those that don't fit any more; the first one is cut if need be."""
    packed: list[Hit] = []
    used = 0
    for hit in hits:
        size = size_of(hit)
        if used + size <= budget:
            packed.append(hit)
            used += size
        elif not packed:
            packed.append(_cut(hit, budget))
            used = budget
    ranked = [
        hit if hit.rank == rank else dataclasses.replace(hit, rank=rank)
        for rank, hit in enumerate(packed, start=1)
    ]
    return Packed(hits=tuple(ranked), left_out=len(hits) - len(packed), tokens=used)


def _cut(hit: Hit, budget: int) -> Hit:
    """The hit with its content ending between two graphemes; at least one character is kept."""
    room = max(budget - _FRAME - count_tokens(hit.memory.title), 1)
    content = hit.memory.content
    # As many characters as the room holds at the content's own density of tokens.
    characters = max(len(content) * room // max(count_tokens(content), 1), 1)
    shortened, was_cut = cut(content, characters)
    hit.memory.content = shortened or content[:characters]
    return dataclasses.replace(hit, truncated=was_cut)
