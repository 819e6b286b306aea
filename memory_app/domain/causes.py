"""Causes that a sentence states in so many words: the connective, and which side of it causes which.

Reads, never concludes: a sentence without a connective, with a denial or a doubt before it, or in
which it isn't plain which of the two names stands on which side, states nothing here. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# (hint, whether the cause stands to the right, the words). Longer forms stand before their parts.
_FORMS: Final = (
    ("caused", True, r"(?:was |were |is |are )?(?:caused|triggered|brought about|produced) by"),
    ("caused", True, r"as a (?:direct )?(?:result|consequence) of|because of|because|due to"),
    (
        "caused",
        True,
        r"owing to|on account of|thanks to|resulted from|results from|stem(?:s|med) from",
    ),
    ("enabled", True, r"(?:enabled|made possible|allowed|unblocked) by"),
    ("blocked", True, r"(?:blocked|prevented|held up|hindered|delayed|stopped) by"),
    ("contradicts", False, r"contradict(?:s|ed)(?: by)?|conflict(?:s|ed) with|disagrees with"),
    ("caused", False, r"led to|leads to|lead to|result(?:s|ed) in|gave rise to|gives rise to"),
    ("caused", False, r"caused|causes|triggered|triggers|brought about|which is why|that is why"),
    ("caused", False, r"therefore|consequently|as a result"),
    ("enabled", False, r"enabled|enables|made possible|makes possible|unblocked|unblocks"),
    ("blocked", False, r"blocked|blocks|prevented|prevents|held up|holds up"),
)
_CONNECTIVE: Final = re.compile(
    "|".join(rf"(?P<f{number}>\b(?:{words})\b)" for number, (_, _, words) in enumerate(_FORMS)),
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?;\n]+(?:[.!?;](?=\S)[^.!?;\n]*)*[.!?;]?")
_DENIED: Final = re.compile(
    r"\b(?:not|never|no|nor|neither|without|hardly)\b|n['’]t\b", re.IGNORECASE
)
_DOUBTED: Final = re.compile(
    r"\b(?:may|might|could|would|perhaps|possibly|probably|maybe|whether|if|unless|allegedly|"
    r"suspected?|unclear|unknown|will)\b|\?",
    re.IGNORECASE,
)
# (hint, cause on the right) by where the source stands: what makes "source hint target" true.
_BY_SIDE: Final = {
    ("caused", True): "caused_by",
    ("caused", False): "led_to",
    ("enabled", True): "enabled_by",
    ("blocked", True): "blocked_by",
    ("contradicts", True): "contradicts",
    ("contradicts", False): "contradicts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCause:
    """How the source of a fact relates to its target, with the words of the fact that say so."""

    hint: str
    quote: str


def has_connective(text: str) -> bool:
    """Whether any sentence holds words that may state a cause. Those without are never looked at."""
    return _CONNECTIVE.search(text) is not None


def stated_cause(text: str, source: str, target: str) -> StatedCause | None:
    """The one cause that a sentence of the text states between these two names; else None."""
    found = {one.hint: one for one in _stated(text, source, target)}
    return next(iter(found.values())) if len(found) == 1 else None


def _stated(text: str, source: str, target: str) -> Iterator[StatedCause]:
    for sentence in _SENTENCE.findall(text):
        connectives = list(_CONNECTIVE.finditer(sentence))
        places = _places(sentence, source, target)
        if len(connectives) != 1 or places is None or _DOUBTED.search(sentence):
            continue
        words = connectives[0]
        if _DENIED.search(sentence[: words.start()]):
            continue
        hint = _hint(sentence, words, *places)
        if hint:
            yield StatedCause(hint=hint, quote=sentence.strip())


def _hint(sentence: str, words: re.Match[str], source: int, target: int) -> str | None:
    number = next(n for n in range(len(_FORMS)) if words.group(f"f{n}"))
    kind, cause_right, _ = _FORMS[number]
    edge = words.start()
    if not sentence[:edge].strip(" ,"):
        # "Because of the storm, the harbour closed": the clause up to the comma is the right side.
        edge = sentence.find(",", words.end())
        if edge < 0:
            return None
        cause_right = not cause_right
    if (source < edge) == (target < edge):
        return None
    cause_is_target = (target > edge) == cause_right
    return _BY_SIDE.get((kind, cause_is_target))


def _places(sentence: str, source: str, target: str) -> tuple[int, int] | None:
    """Where the two names stand; None unless each stands there once, apart from the other."""
    names = sorted({source, target}, key=len, reverse=True)
    if len(names) != 2:
        return None
    left, found = sentence.casefold(), {}
    if len(left) != len(sentence):
        return None
    for name in names:
        spots = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", left)]
        if len(spots) != 1:
            return None
        start, end = spots[0]
        found[name] = start
        left = left[:start] + "\0" * (end - start) + left[end:]
    return found[source], found[target]
