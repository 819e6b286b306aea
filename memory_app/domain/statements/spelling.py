"""One spelling for texts that differ in encoding, typography, inflection or British usage only."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from memory_app.domain.statements.lexicon import words
from memory_app.domain.text import clarify

_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc\uff07\u0060\u00b4\u2032", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        "\u2014": " - ",
        "\u2192": " -> ",
        "\u2044": "/",
    }
)
_BRITISH: Final = (
    (re.compile(r"^(col|fav|behavi|neighb|lab|hon|flav|harb|rum|hum|vap|arm)our"), r"\1or"),
    (re.compile(r"(..)is(e|es|ed|ing|ation|ations)$"), r"\1iz\2"),
    (re.compile(r"(..)ys(e|es|ed|ing)$"), r"\1yz\2"),
    (re.compile(r"^(cent|theat|lit|fib)re(s?)$"), r"\1er\2"),
    (re.compile(r"^(.*)ll(ed|ing)$"), r"\1l\2"),
    (re.compile(r"^licence"), "license"),
    (re.compile(r"^programme(s?)$"), r"program\1"),
    (re.compile(r"^grey"), "gray"),
)
# Invisible letters that spell the flags of regions: Scotland's is England's without them.
_TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))
_UNCHANGED: Final = frozenset(
    words(
        """
            news always perhaps series lens bus gas is was has does this us yes plus thus evening
            during nothing something anything everything morning string king ring bring thing
            spring wing us his its analysis basis status campus focus virus bonus tennis paris
            texas james hundred
        """
    )
)
_VOWEL: Final = re.compile(r"[aeiouy]")


@lru_cache(maxsize=256)  # a text is read for several questions in a row
def plain(text: str) -> str:
    """NFKC with straight quotes and hyphens, single spaces and no invisible format characters."""
    folded = unicodedata.normalize("NFKC", clarify(text)).translate(_SIGNS)
    visible = "".join(c for c in folded if unicodedata.category(c) != "Cf" or c in _TAGS)
    return " ".join(visible.split())


def american(word: str) -> str:
    """The American spelling of a lower-case word that is spelled the British way."""
    for pattern, us_form in _BRITISH:
        word = pattern.sub(us_form, word)
    return word


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The common root of an English word's forms, `word` in lower case; others come back whole."""
    if word in _UNCHANGED or not word.isascii():
        return word
    word = american(word)
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ied", "y"), ("ed", "")):
        root = word.removesuffix(ending)
        if root != word and len(root) + len(rest) >= 3 and _VOWEL.search(root + rest):
            if ending == "ed" and root.endswith("e"):
                break
            return _closed(root + rest)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    return _closed(word)


def _closed(root: str) -> str:
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "aeiouslz":
        root = root[:-1]
    return root.removesuffix("e") if len(root) > 3 else root
