"""What the small words say: modals, tenses, prepositions, pointers and persons.

They carry no fact of their own, so comparing the other words takes no notice of them. Where both
statements are alike otherwise they still tell "by Anna" from "for Anna" and "paid" from "pays".
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from memory_app.domain.irregular import BASE_FORMS
from memory_app.domain.statements.comparing import Remainder
from memory_app.domain.statements.lexicon import BE, PAST, PERSONS, words
from memory_app.domain.statements.reading import Statement, Token, concept
from memory_app.domain.statements.spelling import american, stem

_MODALS: Final = frozenset(words("will would shall"))
_MODAL_PAIRS: Final = {
    **{(have, "to"): "have to" for have in ("have", "has", "had", "having")},
    ("going", "to"): "going to",
    ("about", "to"): "about to",
}
_PASTS: Final = PAST | {"had", "did"}
_HELPERS: Final = frozenset(BE) | {"has", "have", "had", "having", "get", "gets", "got", "ve"}
_BETWEEN: Final = frozenset(words("just already now also not never recently finally always since"))
_NO_VERBS: Final = frozenset(
    words(
        "children people men women feet teeth mice geese lives wives leaves halves shelves knives"
    )
)
_PLACING: Final = frozenset(words("in on at to for with by via into onto about within per from"))
# Where the other words stand as they stood, these say something even alone: "wrote to Anna".
_DIRECTING: Final = frozenset(words("to for with by from at"))
# Their coming or going changes what is said; the others' alone doesn't ("allergic to").
_TELLING: Final = frozenset(
    words("via about within per into onto because when while since both against than")
)
_SAME_PLACING: Final = {"upon": "on"}
_POINTERS: Final = {
    **dict.fromkeys(("this", "these", "here"), "near"),
    **dict.fromkeys(("that", "those", "there"), "far"),
}
_THEY: Final = dict.fromkeys(words("they them their theirs themselves"), "they")
# Weak words that pick one of several when a noun follows: "the work phone", "every user".
_PICKING: Final = frozenset(
    words("work scheduled schedule regular every run set called named place home")
)
_MOMENTS: Final = ("date", "weekday", "month", "time")
_TIMES: Final = frozenset(
    stem(word) for word in words("day week weekend month year morning evening night hour minute")
)
# Synonyms as verbs, but not as nouns: a launch date is no shipping date.
_VERBS_ONLY: Final = frozenset(
    stem(word)
    for word in words(
        "launch ship release store keep save error failure report call title name schedule start"
    )
)
_DETERMINERS: Final = frozenset(words("the a an this that my your our his her its their each"))


def particle_differences(old: Statement, new: Statement, left: Remainder) -> set[str]:
    """`tense`, `person`, `word`, `detail` and `order`, as far as small words alone make them."""
    found = set()
    if _modality(old) != _modality(new) or past(old) != past(new):
        found.add("tense")
    if _past_verbs(old, new) or _past_verbs(new, old):
        found.add("tense")
    was, now = _persons(old), _persons(new)
    if was and now and set(was) != set(now):
        found.add("person")
    elif was != now and sorted(was) == sorted(now):
        found.add("order")
    if _placed_otherwise(old, new) or _points_otherwise(old, new) or _measured(old, new):
        found.add("word")
    if _aligned(old, new) and (_inflected(old, new) or _one_sided(old, new)):
        found.add("word")
    if _letters(old) != _letters(new):
        found.add("order")
    if _telling(old) != _telling(new) or _picks(left, old, new):
        found.add("detail")
    if _noun_for_noun(old, new):
        found.add("word")
    return found


def past(statement: Statement) -> bool:
    """Whether it says of itself that it is over: was, formerly, had, used to."""
    keys = [token.key for token in statement.tokens]
    contracted = _HAD.search(statement.text) is not None and not _would(statement)
    return (
        contracted
        or any(key in _PASTS for key in keys)
        or any(
            pair == ("used", "to") and before not in BE
            for before, pair in zip(("", *keys), pairwise(keys), strict=False)
        )
    )


def _modality(statement: Statement) -> frozenset[str]:
    spoken = [token.key for token in statement.tokens if not token.capital]
    found = {key for key in spoken if key in _MODALS}
    found |= {_MODAL_PAIRS[pair] for pair in pairwise(spoken) if pair in _MODAL_PAIRS}
    if any(pair == ("used", "to") for pair in pairwise(spoken)):
        found.add("used to")
    if _would(statement):
        found.add("would")
    return frozenset(found)


def _would(statement: Statement) -> bool:
    """ "They'd sell", but not "they'd sold"."""
    found = _HAD.search(statement.text)
    return found is not None and not _is_past(found[1].lower())


_HAD: Final = re.compile(r"'d (?:\w+ly |never |not |just |already )?(\w+)", re.IGNORECASE)


def _past_verbs(before: Statement, after: Statement) -> bool:
    """Whether a verb stands in the simple past in one and in the present in the other."""
    now = {_base(t): t for t in after.tokens if t.kind == "word" and not _is_past(t.key)}
    return any(
        (present := now.get(_base(token))) is not None and not present.key.endswith("ing")
        for token in simple_past(before)
    )


def simple_past(statement: Statement) -> Iterator[Token]:
    """Verbs that tell of something past: "paid", but neither "has paid" nor "is paid"."""
    before = ""
    for token in statement.tokens:
        if token.kind == "word" and _is_past(token.key) and before not in _HELPERS:
            yield token
        if token.key not in _BETWEEN:
            before = token.key


def _is_past(key: str) -> bool:
    irregular = key in BASE_FORMS and key not in _NO_VERBS
    return irregular or (key.endswith("ed") and len(key) > 4)


def _base(token: Token) -> str:
    key = token.key
    return concept(stem(key if key in _NO_VERBS else BASE_FORMS.get(key, key)))


def _persons(statement: Statement) -> list[str]:
    known = PERSONS | _THEY
    return [
        known[t.key] for t in statement.tokens if t.kind == "word" and t.key in known and t.light
    ]


def _placed_otherwise(old: Statement, new: Statement) -> bool:
    """A preposition in another's place; one more or less ("allergic to") says nothing."""
    was, now = (
        Counter(_SAME_PLACING.get(t.key, t.key) for t in one.tokens if t.light)
        for one in (old, new)
    )
    gone, come = was - now, now - was
    if _aligned(old, new) and {"of"} & (gone.keys() | come.keys()):
        return bool((gone.keys() | come.keys()) & _PLACING)
    return bool(gone.keys() & _PLACING) and bool(come.keys() & _PLACING)


def _aligned(old: Statement, new: Statement) -> bool:
    """Whether both put the same words in the same order, inflection and small words aside."""
    return [t.stem or t.key for t in old.content] == [t.stem or t.key for t in new.content]


def _inflected(old: Statement, new: Statement) -> bool:
    """Another form of a word in its place: a door is no doors, and a pin no pine."""
    return any(
        was.stem == now.stem
        and american(was.key) != american(now.key)
        and not (_helped(old, was, now) or _helped(new, now, was))
        and not (_generic(old, was, now) or _generic(new, now, was))
        for was, now in zip(old.content, new.content, strict=True)
    )


def _helped(statement: Statement, verb: Token, other: Token) -> bool:
    """ "Does not work" is "never works"."""
    return other.key == f"{verb.key}s" and any(t.key in ("do", "does") for t in statement.tokens)


def _generic(statement: Statement, plural: Token, other: Token) -> bool:
    """ "Quotes are valid" is "a quote is valid": the plural stands first and without an article."""
    first = plural is statement.tokens[0] and not plural.raw.isupper()
    return first and plural.key == f"{other.key}s"


def _one_sided(old: Statement, new: Statement) -> bool:
    return _directed(old) != _directed(new)


def _directed(statement: Statement) -> list[str]:
    return [
        token.key
        for token, following in pairwise(statement.tokens)
        if token.light and token.key in _DIRECTING and following.kind not in _MOMENTS
    ]


def _letters(statement: Statement) -> list[str]:
    """Variables, in order: "a" is one where there is a "b"."""
    found = [t.raw for t in statement.tokens if len(t.raw) == 1 and t.raw.islower()]
    return found if len(set(found)) > 1 and set(found) - set("aions") else []


def _points_otherwise(old: Statement, new: Statement) -> bool:
    was, now = (
        {_POINTERS[t.key] for t in one.tokens if t.key in _POINTERS and t.light}
        for one in (old, new)
    )
    return bool(was) and bool(now) and was != now


def _measured(old: Statement, new: Statement) -> bool:
    """ "A few pass" is more than "few pass"."""
    was, now = (
        {pair for pair in pairwise(t.key for t in one.tokens) if pair in _LITTLE}
        for one in (old, new)
    )
    return was != now


_LITTLE: Final = frozenset([("a", "few"), ("a", "little"), ("a", "bit")])


def _telling(statement: Statement) -> Counter[str]:
    """The small words that say something, "just" as "only" and "too" as "more than is good"."""
    found: Counter[str] = Counter()
    tokens = statement.tokens
    for place, token in enumerate(tokens):
        before = tokens[place - 1].key if place else ""
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        ahead = following is not None and following.content and following.kind == "word"
        said = token.key in _TELLING and (token.key, _key(following)) != ("about", "to")
        only = token.key == "just" and ahead and before not in _HELPERS
        if token.light and (said or only or (token.key == "too" and ahead)):
            found[token.key] += 1
    return found


def _key(token: Token | None) -> str:
    return token.key if token is not None else ""


def _picks(left: Remainder, old: Statement, new: Statement) -> bool:
    return any(
        token.key in _PICKING
        and place + 1 < len(one.tokens)
        and (following := one.tokens[place + 1]).content
        and following.kind == "word"
        and following.stem not in _TIMES
        for side, one in ((left.old, old), (left.new, new))
        for place, token in enumerate(one.tokens)
        if any(token is other for other in side)
    )


def _noun_for_noun(old: Statement, new: Statement) -> bool:
    was, now = _nouns(old), _nouns(new)
    return bool(was - now) and bool(now - was)


def _nouns(statement: Statement) -> set[str]:
    """Roots of verbs that stand as nouns: right behind an article, a pronoun or an owner."""
    return {
        token.stem
        for before, token in pairwise(statement.tokens)
        if token.stem in _VERBS_ONLY and (before.key in _DETERMINERS or before.possessive)
    }
