"""Whether two statements give one attribute two values, or two of the many it may have.

Read from the verb, the words around the value and its kind: "costs 5", "is in Berlin" and "is
hosted on Fly" have one value at a time, "likes", "speaks" and "is allergic to" have many.
"""

from __future__ import annotations

from typing import Final, Literal

from memory_app.domain.irregular import BASE_FORMS
from memory_app.domain.statements import Statement, Token
from memory_app.domain.statements.arrangement import rearranged
from memory_app.domain.statements.frames import VALUED, Frame, root, said, uncounted
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.particles import past
from memory_app.domain.statements.spelling import stem

# As in `outlook`, which has more of them.
Valuing = Literal["apart", "restated", "unsupported", "open"]

# Verbs with one value at a time, and nouns behind "as" that make any verb one.
_SINGLE: Final = frozenset(
    stem(word)
    for word in words(
        """
        live reside base locate cost weigh require run target pin host store deploy keep
        study drive call name rename report expire start begin end close open leave happen
        prefer want be get write build use default go follow
        """
    )
)
# Of those the ones that need a placing word before the value: "runs on", "deploys with".
_PLACED: Final = frozenset(
    stem(word)
    for word in words(
        "live reside base locate run host store deploy keep report write build want go"
    )
)
# And those that have one value only where it is measured: "requires Node 20".
_MEASURED: Final = frozenset(stem(word) for word in words("require need target get"))
_WANTING: Final = frozenset(stem(word) for word in words("want need"))
_USE: Final = stem("use")
# Orders with one answer: "Use two spaces for indentation."
_ORDERS: Final = frozenset(stem(word) for word in words("use keep write store deploy run"))
_PLACING: Final = frozenset(words("in on at with to for as from over"))
# Adjectives that say one of many things of somebody: "is allergic to", "is interested in".
_MANY: Final = frozenset(
    words(
        """
        allergic interested fluent certified available compatible able afraid fond keen good
        responsible for about part among called like such known familiar aware used consumed
        imported read covered supported translated
        """
    )
)
_INDEFINITE: Final = frozenset(words("a an one some another part among"))


def one_value(was: Frame, now: Frame, old: Statement, new: Statement) -> Valuing:
    """The same said of the same, but for one value."""
    if rearranged(old, new) and said(old.tokens) == said(new.tokens):
        return "restated" if "prefer" in {t.stem for t in old.tokens} else "apart"
    if was.verb is None or now.verb is None:
        return "apart" if said(old.tokens) != said(new.tokens) else "open"
    gone, come = said(was.rest) - said(now.rest), said(now.rest) - said(was.rest)
    being = was.verb.key in BE and now.verb.key in BE
    if not being and root(was.verb) != root(now.verb) and was.verb.concept != now.verb.concept:
        return "unsupported"
    if said(was.lead) != said(now.lead):
        counted = said(uncounted(was.lead)) == said(uncounted(now.lead))
        return "restated" if counted and said(was.rest) == said(now.rest) else "unsupported"
    if not gone or not come:
        return "open"
    if past(old) or past(new):
        return "unsupported"
    if _happened(was.verb) and _happened(now.verb):
        return "apart"
    return _of_one_value(was, gone, come, now)


def _happened(verb: Token) -> bool:
    """ "Won", "called": what happened isn't undone by what happens."""
    past_form = verb.key in BASE_FORMS and not verb.key.endswith("s")
    return past_form or (verb.key.endswith("ed") and verb.key not in ("need", "feed"))


def _of_one_value(was: Frame, gone: frozenset[str], come: frozenset[str], now: Frame) -> Valuing:
    held, given = _span(was, gone), _span(now, come)
    if held is None or given is None:  # more than one place differs
        both = held is None and given is None
        return "unsupported" if not both or was.verb is None or was.verb.key in BE else "apart"
    if any(token.possessive for token in (*was.rest, *now.rest)):
        return "unsupported"
    (start, end), (start_now, end_now) = held, given
    tail, tail_now = said(was.rest[end:]), said(now.rest[end_now:])
    kinds = {t.kind for t in was.rest[start:end]}, {t.kind for t in now.rest[start_now:end_now]}
    verb = was.verb
    if verb is None:
        return "open"
    colon = verb.raw == ":"
    valued = bool(kinds[0] & VALUED) and kinds[0] & VALUED == kinds[1] & VALUED
    before = was.rest[start - 1] if start else None
    if colon:
        return "restated" if valued else "apart"
    if verb.key in BE and was.rest[0].key.endswith("ing") and root(was.rest[0]) not in _SINGLE:
        return "unsupported" if valued else "apart"  # "is learning"
    if verb.key in BE:
        alike = valued or shape(was.rest[start:end]) == shape(now.rest[start_now:end_now])
        return _copula(was, start, valued=valued) if alike else "unsupported"
    lead = was.rest[:start]
    if kinds[0] == kinds[1] == {"number"}:
        named = before is not None and before.content and root(verb) not in _SINGLE
        return "unsupported" if named else "restated"
    key = root(verb)
    if key in _MEASURED and not valued:
        return "apart"
    placed = any(token.key in _PLACING for token in lead) and not _wishes(was)
    if was.lead == () and key not in _ORDERS:
        return "unsupported" if valued else "apart"
    if key in _SINGLE and (placed or key not in _PLACED):
        if key == _USE:
            return "restated" if tail and tail == tail_now and not placed else "unsupported"
        return "restated"
    if key == "work":
        return "restated" if placed else "apart"
    return "unsupported" if valued else "apart"


def shape(tokens: tuple[Token, ...]) -> tuple[int, bool, bool]:
    """Two names, or two words, but no word for a name and no participle for a noun."""
    content = [token for token in tokens if token.content]
    named = any(token.capital or token.kind == "identifier" for token in content)
    return len(content), named, any(len(t.key) > 4 and t.key.endswith("ed") for t in content)


def _wishes(frame: Frame) -> bool:
    """ "Wants to learn pottery" is one of many wishes, "wants answers in German" a setting."""
    if frame.verb is None or not frame.rest:
        return False
    return frame.rest[0].key == "to" and root(frame.verb) in _WANTING


def _copula(was: Frame, start: int, *, valued: bool) -> Valuing:
    """ "The default port is 80" has one value, "Kit is allergic to nuts" may have another."""
    lead = was.rest[:start]
    keys = [token.key for token in was.rest[: start + 1]]
    if any(token.key in _MANY for token in was.rest[: start + 1]):
        return "apart"
    if not any(key in _INDEFINITE for key in keys):
        return "restated"
    return "unsupported" if valued or not any(token.content for token in lead) else "apart"


def _span(frame: Frame, different: frozenset[str]) -> tuple[int, int] | None:
    """Where the words of one difference stand together, small words between them allowed."""
    places = [place for place, token in enumerate(frame.rest) if said((token,)) & different]
    if not places:
        return None
    between = frame.rest[places[0] : places[-1] + 1]
    if any(t.key in _PLACING or (t.content and not said((t,)) & different) for t in between):
        return None
    return places[0], places[-1] + 1
