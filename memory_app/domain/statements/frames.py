"""A statement as subject, verb and rest, and the words that say how its subject stands.

Read from closed lists and the order of words, so a reading may be missing or wrong; what rests on
it never acts, it only makes a verdict less or more than the models would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memory_app.domain.irregular import BASE_FORMS
from memory_app.domain.statements import Statement, Token
from memory_app.domain.statements.lexicon import BE, COMPARATIVES, words
from memory_app.domain.statements.spelling import stem

VALUED: Final = frozenset(("number", "date", "weekday", "month", "time"))
_HELPERS: Final = (
    frozenset(BE)
    | frozenset(
        words("has have had must may can could should would will might shall does do did cannot")
    )
) - {"'s"}
_VERBS: Final = frozenset(
    stem(word)
    for word in words(
        """
        accept affect agree aim allow answer apply approve arrive ask attend avoid babysit bake bank
        base be beat become begin belong blog boil borrow break bring build buy call cancel care carry
        chair change charge check choose cite clean close coach collect comment commit compile
        complain complete compute connect contain contribute cook cost cover create cycle debug
        decide deliver depend deploy design dislike divide document download draft drink drive eat
        edit emit employ enable encrypt end enjoy escalate exclude execute expect expire explain
        export expose fail feed fetch find file finish fix fly focus follow format forbid gather
        generate get give go grant grow handle hang happen hate have head hear heat help hire hold
        host import include increase install interview introduce invite invoice join keep know last
        launch lead learn leave lend license like limit list listen live load log lose love maintain
        make manage manufacture match mean measure meet mentor merge migrate mock monitor move
        name need notify offer open operate order organize organise output own owe park parse
        pay peak pick pin plan plant play practise prefer prepare present prevent print process
        produce promise propose provide publish pull push raise reach react read rebase rebuild
        receive recommend record reduce refer refuse reject release remain remember remind rename
        render renew rent repair replace replicate report require reserve reside resolve respond
        restart retain retry return review ride rotate run sail save say schedule seat sell send
        serve set share ship show sign sing sit skip sleep smoke sort speak specialise specialize
        spend sponsor squash start stay stem stop store stream study subscribe suggest sue supply
        support swim switch sync take talk target teach tell test think throw time track trade
        train travel treat trigger trust try turn type understand update upgrade upload use
        validate visit volunteer wait wake walk want watch wear weigh welcome win wonder work
        worry write block hurt translate describe define point link map cause suffer occur rely poll
        solve pause crash boot hash ignore persist
        """
    )
)
# Behind these a word is a noun: "the orders service".
_BEFORE_NOUNS: Final = frozenset(
    words(
        """
        a an the this that these those my our your his her its every each no any in on at for with
        by of from under
        """
    )
)
_FRONTS: Final = frozenset(
    words("if when unless while until for in on at during under over above below as with")
)
_PRONOUNS: Final = frozenset(words("i we you they always never also people staff who"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """`lead` is all before the verb, a fronted scope ("In staging ...") included; without a verb
    all of it.
    """

    lead: tuple[Token, ...]
    verb: Token | None
    rest: tuple[Token, ...]


def read_frame(statement: Statement) -> Frame:
    """The first helper or verb that doesn't stand as a noun; an order ("Use tabs") has no lead."""
    front, main = _fronted(statement.tokens)
    tokens = tuple(token for token in main if token.kind != "mark" or token.raw == ":")
    place = _verb_place(tokens)
    if place is None:
        return Frame(lead=front + tokens, verb=None, rest=())
    return Frame(lead=front + tokens[:place], verb=tokens[place], rest=tokens[place + 1 :])


def _fronted(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """ "If the cache is cold, ..." and "In staging, ...": on what the rest is said."""
    if tokens and tokens[0].key in _FRONTS:
        for place, token in enumerate(tokens):
            if token.raw == ",":
                return tuple(tokens[:place]), tuple(tokens[place + 1 :])
    return (), tuple(tokens)


def _verb_place(tokens: Sequence[Token]) -> int | None:
    for place, token in enumerate(tokens):
        if token.raw == ":":
            return place
        if place and (_helps(token) or _acts(tokens, place)):
            return place
    return 0 if tokens and (_helps(tokens[0]) or _orders(tokens[0])) else None


def _orders(token: Token) -> bool:
    """ "Use tabs", but not "Meeting about tabs"."""
    return root(token) in _VERBS and not token.key.endswith(("ing", "ed"))


def _helps(token: Token) -> bool:
    return token.key in _HELPERS and not token.capital


def _acts(tokens: Sequence[Token], place: int) -> bool:
    """ "Orders ship", but neither "the orders" nor "order forms", nor "sales orders ship"."""
    token, before = tokens[place], tokens[place - 1]
    if token.kind != "word" or root(token) not in _VERBS or token.capital or before.possessive:
        return False
    if before.key in _BEFORE_NOUNS or token.possessive:
        return False
    inflected = token.key.endswith(("s", "ed")) or token.key in BASE_FORMS
    if not inflected and not (before.key in _PRONOUNS or before.key.endswith("s")):
        return False
    if token.key.endswith("ed") and any(_helps(later) for later in tokens[place + 1 :]):
        return False  # "the minimum supported version is"
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    nouns = before.key.endswith("s")
    return after is None or not (_helps(after) or (nouns and _inflected(after)))


def _inflected(token: Token) -> bool:
    formed = token.key.endswith(("s", "ed")) or token.key in BASE_FORMS
    return formed and root(token) in _VERBS and token.raw.islower()


def root(token: Token) -> str:
    """A verb's root, irregular pasts included."""
    if token.key == "goes":
        return "go"
    return token.stem if token.stem in _VERBS else stem(BASE_FORMS.get(token.key, token.key))


def said(tokens: Iterable[Token]) -> frozenset[str]:
    """What tokens say, one word for synonyms; small words aside, "over 500" and "under 500" not."""
    return frozenset(
        f"{token.key} {token.unit}".strip() if token.kind != "word" else token.concept or token.key
        for token in tokens
        if token.kind != "mark" and (token.content or token.key in COMPARATIVES)
    )


def uncounted(lead: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Two approvals" is a count, "team 2" a name."""
    counts = len(lead) > 1 and lead[0].kind == "number" and lead[1].kind == "word"
    return lead[1:] if counts else lead
