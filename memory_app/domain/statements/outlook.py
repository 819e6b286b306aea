"""What the wording of two statements tells about whether the later one ends the earlier.

The models see how alike two texts are; what a word of change, another subject, a wish or an
attribute with one value means is read here. Nothing here acts: a reading makes "supersedes" less
likely, or likely enough for a person to be asked.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from memory_app.domain.irregular import BASE_FORMS
from memory_app.domain.statements import Statement, Token, read_statement
from memory_app.domain.statements.arrangement import rearranged
from memory_app.domain.statements.comparing import opposite, remainder
from memory_app.domain.statements.foreign import changes_abroad
from memory_app.domain.statements.frames import VALUED, Frame, read_frame, root, said
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.particles import past
from memory_app.domain.statements.spelling import stem

# `apart`: of other things, or of one that takes many values. `added`: says more. `unasserted`: a
# wish, a plan, a question, hearsay. `restated`: one attribute, another value. `announced`: says
# that something changed. `unsupported`: no word for or against. `open`: the models decide.
Outlook = Literal["apart", "added", "unasserted", "restated", "announced", "unsupported", "open"]

_CHANGE_WORDS: Final = words(
    """
    anymore longer stopped quit cancelled canceled formerly instead switched moved replaced sold
    left divorced ended changed now again disabled enabled expired resigned retired dropped gave
    given previously became become upgraded downgraded migrated renamed postponed rescheduled
    delayed raised lowered increased reduced cut closed reopened removed terminated revoked broke
    split died hired fired resumed withdrawn lifted rewritten ported relocated extended shortened
    merged resolved fixed settled signed filled promoted graduated engaged deprecated
    decommissioned discontinued lost slipped pushed superseded rose grew fell finished completed
    shipped launched implemented handed joined since solved healed passed
    """
)
_CHANGES: Final = frozenset(_CHANGE_WORDS)
_PHRASES: Final = re.compile(
    r"\b(?:as of|from now on|from next|until further|took over|taken over|stepped down|gave birth"
    r"|went (?:up|down)|gone (?:up|down)|back (?:up|from|to|in|on)|is back|given up|got divorced"
    r"|(?:the|our|my|his|her|their|its|'s) new|found a (?:new )?job|(?:is|are) done|opened last"
    r"|has been (?:paid|renewed|opened)|was (?:renewed|paid|opened))\b",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(r"(?:after|since|from|as of|starting|effective)\b", re.IGNORECASE)
_UNASSERTED: Final = re.compile(
    r"\b(?:might|may|maybe|perhaps|possibly|could|would|wish(?:es)?|hop(?:es?|ing)|dreams?"
    r"|want(?:s|ed)? to|plan(?:s|ned|ning) to|intend(?:s|ing)? to|consider(?:s|ed|ing)?"
    r"|think(?:s|ing) (?:about|of)|wonder(?:s|ed|ing)?|evaluat(?:e|es|ing)|proposals?"
    r"|propos(?:e|es|ed|ing)|suggest(?:s|ed|ing|ion)?|rumou?r(?:s|ed)?|allegedly|idea of"
    r"|ask(?:s|ed) (?:for|to|whether|if|about)|interview(?:s|ing)? (?:at|with)"
    r"|discuss(?:es|ed|ing)?|debat(?:es|ed|ing)|if|unless|whether|some ?day|one day|tr(?:y|ies) to"
    r"|tr(?:ied|ying) to|looking (?:at|into)|request(?:ed|s)? (?:for|to)|(?:has|have) yet to"
    r"|not yet|nobody|no one)\b|\?\s*$|\byet[.!]?$",
    re.IGNORECASE,
)
_CHANGE_ROOTS: Final = frozenset(_CHANGE_WORDS) | frozenset(stem(word) for word in _CHANGE_WORDS)
# What is over by these is what they name.
_ENDINGS: Final = frozenset(
    words("longer anymore stopped quit left sold cancelled canceled dropped lost gave given")
    + words("finished completed")
)
_HELPING: Final = BE | frozenset(words("has have had is are do does did"))
_ADDITIONS: Final = frozenset(
    words("also too additionally another besides moreover extra plus forget remember both well")
)
_SCOPES: Final = frozenset(
    words(
        """
        staging production development testing test dev ci qa local sandbox preview weekday
        weekdays weekend weekends summer winter domestic overseas linux windows macos ios android
        frontend backend
        """
    )
)
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
_TOPICS: Final = tuple(
    (frozenset(stem(w) for w in words(old)), frozenset(stem(w) for w in words(new)))
    for old, new in (
        ("live reside home based located address office", "moved relocated left"),
        (
            "work works job employed employee unemployed student head lead leads manager director"
            " engineer officer cfo ceo cto chair at studies study",
            "retired left joined started promoted quit resigned fired hired switched graduated"
            " found stepped handed works",
        ),
        (
            "single married engaged girlfriend boyfriend partner wife husband pregnant dating",
            "divorced broke married engaged separated birth split single widowed",
        ),
    )
)
_KIN: Final = frozenset(
    words(
        """
        brother sister son daughter wife husband mother father friend neighbor neighbour colleague
        cousin aunt uncle boss team partner child grandmother grandfather parents flatmate nephew
        niece
        """
    )
)
_GENERAL: Final = frozenset(stem(word) for word in words("user team company project customer we"))


def outlook(earlier: str, later: str) -> Outlook:
    """How the later statement stands to the earlier one by its wording alone."""
    if changes_abroad(earlier, later):
        return "announced"
    old, new = read_statement(earlier), read_statement(later)
    if asserted(old.text) and not asserted(new.text):
        return "unasserted"
    was, now = read_frame(old), read_frame(new)
    changed = _announces(old, new)
    if changed and _turns_to(was, now, new):
        return "announced"
    if _indefinite(was) or (_owned(now, old) and _KIN & _spoken(new) - _spoken(old)):
        return "apart"
    if _other_lead(was, now, old, new):
        return "apart" if not changed or _same_rest(was, now) else "open"
    if _scopes(old) - _scopes(new) and _scopes(new) - _scopes(old):
        return "apart"
    left = remainder(old, new)
    turned = opposite(left.old, left.new) or (old.negations > 0) != (new.negations > 0)
    if not changed and not turned and _adds(old, new):
        return "added"
    if changed:
        return "announced" if _about_the_same(was, now, old, new) else "unsupported"
    if turned:
        return "open"
    return _value(was, now, old, new)


def restates(old: Statement, new: Statement) -> bool:
    """Whether both give the same attribute, which has one value at a time, another value."""
    was, now = read_frame(old), read_frame(new)
    if _indefinite(was):
        return False
    return _value(was, now, old, new) == "restated"


def _indefinite(frame: Frame) -> bool:
    """ "A customer", "one of our databases": another one may be meant."""
    lead = frame.lead
    if not lead:
        return False
    counted = lead[0].kind == "number" or lead[0].key in ("some", "most", "many")
    return lead[0].key in ("a", "an", "another") or (
        counted and lead[1:2] != () and lead[1].key == "of"
    )


def asserted(text: str) -> bool:
    """No wish, plan, question, hearsay or condition."""
    return _UNASSERTED.search(text) is None


def _announces(old: Statement, new: Statement) -> bool:
    spoken, before = _spoken(new), _spoken(old)
    if spoken & (_ADDITIONS | {"once"}):
        return False
    if _SINCE.match(new.text) and not _SINCE.match(old.text):
        return True
    phrases = {found.group().lower() for found in _PHRASES.finditer(new.text)}
    return bool((spoken & _CHANGES) - before) or bool(
        phrases - {found.group().lower() for found in _PHRASES.finditer(old.text)}
    )


def _turns_to(was: Frame, now: Frame, new: Statement) -> bool:
    """ "We use Yarn" and "Yarn was dropped": the new one is about what the old one says of another."""
    lead = frozenset(key for key in said(now.lead) if key != "new")
    return bool(lead) and not lead <= _GENERAL and lead <= said(was.rest) and now.verb is not None


def _spoken(statement: Statement) -> frozenset[str]:
    return frozenset(token.key for token in statement.tokens if token.kind == "word")


def _other_lead(was: Frame, now: Frame, old: Statement, new: Statement) -> bool:
    """Each has something before its verb, or in all of it without one, that the other says nowhere."""
    before, after = said(_uncounted(was.lead)), said(_uncounted(now.lead))
    return bool(before - after - said(new.tokens)) and bool(after - before - said(old.tokens))


def _uncounted(lead: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Two approvals" is a count, "team 2" a name."""
    counts = len(lead) > 1 and lead[0].kind == "number" and lead[1].kind == "word"
    return lead[1:] if counts else lead


def _same_rest(was: Frame, now: Frame) -> bool:
    """The blue van and the red van, both sold: one lead for another, and the rest is the same."""
    before, after = said(was.lead), said(now.lead)
    return bool(before & after) and was.verb is not None


def _scopes(statement: Statement) -> frozenset[str]:
    return _spoken(statement) & _SCOPES


def _adds(old: Statement, new: Statement) -> bool:
    """All that the old one says, and more; or more by its own word."""
    if _spoken(new) & _ADDITIONS - _spoken(old):
        return True
    return said(old.tokens) < said(new.tokens)


def _about_the_same(was: Frame, now: Frame, old: Statement, new: Statement) -> bool:
    """Whether what changed is what the old statement is about.

    A thing is by its name alone, a person only in the matter that the change is of.
    """
    subject, there = said(was.lead), said(new.tokens)
    if was.verb is None or _owned(now, old):
        return False
    value = said(was.rest)
    if not subject <= there:  # "the user's phone is a Pixel", "the user sold the Pixel"
        return bool(subject & there) and bool(value) and value <= there
    fresh = said(now.rest) - _CHANGE_ROOTS - said(old.tokens)
    if (
        _ENDINGS & _spoken(new)
        and said(now.lead) - _CHANGE_ROOTS == subject
        and fresh
        and value - there
    ):
        return _topical(old, new)  # "no longer uses Emacs" says nothing of Vim
    verb = now.verb
    if verb is not None and root(verb) == root(was.verb) and verb.key not in _HELPING:
        return _value(was, now, old, new) != "apart"  # "now supports Swift" as well
    if value & (there - subject):
        return True
    return _topical(old, new) or not (general(was) or subject <= _GENERAL)


def _topical(old: Statement, new: Statement) -> bool:
    stems = frozenset(token.stem for token in old.tokens), frozenset(t.stem for t in new.tokens)
    return any(stems[0] & before and stems[1] & after for before, after in _TOPICS)


def _owned(now: Frame, old: Statement) -> bool:
    """ "Kit's car was sold": of something of Kit's that the old one doesn't name."""
    fresh = said(now.lead) - said(old.tokens) - {"new"}
    return bool(fresh) and any(token.possessive for token in now.lead)


def general(frame: Frame) -> bool:
    """A bare name or the user: somebody of whom much is true at a time."""
    content = [token for token in frame.lead if token.content]
    if all(token.stem in _GENERAL or token.key in _KIN for token in content):
        return True
    named = all(_named(t) for t in content)
    one = frame.verb is not None and frame.verb.key.endswith("s")
    return named and one and not any(token.key in ("the", "our") for token in frame.lead)


def _named(token: Token) -> bool:
    name = token.kind == "word" and token.raw[:1].isupper() and token.raw.isalpha()
    return name and not token.key.endswith("ing")


def _value(was: Frame, now: Frame, old: Statement, new: Statement) -> Outlook:
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
        counted = said(_uncounted(was.lead)) == said(_uncounted(now.lead))
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


def _of_one_value(was: Frame, gone: frozenset[str], come: frozenset[str], now: Frame) -> Outlook:
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


def _copula(was: Frame, start: int, *, valued: bool) -> Outlook:
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
