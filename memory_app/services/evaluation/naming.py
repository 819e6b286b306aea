"""Entities of a conversation by rule, so that question sets without a graph can measure its channel.

A speaker, and every run of capitalised words inside a sentence; a word that opens a sentence counts
where the conversation also capitalises it inside one. A writer who names entities does better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_app.domain.names import NAME_LIMIT, name_key
from memory_app.domain.values import EntityDraft
from memory_app.services.evaluation.corpora import Turn

NAMED_LIMIT = 20
_RUN = re.compile(r"[A-Z][\w'’&-]*(?:\s+[A-Z][\w'’&-]*)*")
_OPENING = re.compile(r"(?:^|[.!?:\n\"“(*-])\s*$")
_PRONOUNS = frozenset(["I", "I'm", "I'll", "I've", "I'd"])


def inner_names(turns: Iterable[Turn]) -> frozenset[str]:
    """Keys of the words that some sentence of the conversation capitalises after its first word."""
    return frozenset(
        name_key(word)
        for turn in turns
        for found in _RUN.finditer(turn.text)
        for place, word in enumerate(found.group().split())
        if (place or not _OPENING.search(turn.text[: found.start()])) and word not in _PRONOUNS
    )


def entities_of(turn: Turn, inner: frozenset[str]) -> tuple[EntityDraft, ...]:
    """The speaker and the names in one turn, each once."""
    names = [turn.speaker, *(run for run in _runs(turn.text, inner))]
    unique = {name_key(name): name[:NAME_LIMIT] for name in names if name_key(name)}
    return tuple(EntityDraft(name=name) for name in list(unique.values())[:NAMED_LIMIT])


def _runs(text: str, inner: frozenset[str]) -> Sequence[str]:
    found = []
    for run in _RUN.finditer(text):
        words = [word for word in run.group().split() if name_key(word) in inner]
        if words:
            found.append(re.sub(r"['’]s$", "", " ".join(words)))
    return found
