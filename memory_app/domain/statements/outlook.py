"""What the wording of two statements tells about whether the later one ends the earlier.

The models see how alike two texts are; what a word of change, another subject, a wish or an
attribute with one value means is read here. Nothing here acts: a reading makes "supersedes" less
likely, or likely enough for a person to be asked.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from memory_app.domain.statements import Statement, Token, read_statement
from memory_app.domain.statements.comparing import opposite, remainder
from memory_app.domain.statements.foreign import changes_abroad
from memory_app.domain.statements.frames import Frame, read_frame, root, said, uncounted
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.spelling import stem
from memory_app.domain.statements.valuing import one_value

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
    if _indefinite(was) or (_owned(now, old) and _kin(old, new)):
        return "apart"
    if _other_lead(was, now, old, new):
        return "apart" if not changed or _same_rest(was, now) else "open"
    if _scopes(old) - _scopes(new) and _scopes(new) - _scopes(old):
        return "apart"
    left = remainder(old, new)
    turned = opposite(left.old, left.new) or (old.negations > 0) != (new.negations > 0)
    if not changed and not turned and _adds(old, new):
        return "added"
    if not changed and not turned and said(new.tokens) < said(old.tokens):
        # Less of a list may be what is left of it; less of anything else is still true.
        return "unsupported" if _joins(old) > _joins(new) else "apart"
    if changed:
        return "announced" if _about_the_same(was, now, old, new) else "unsupported"
    if turned:
        return "open"
    return one_value(was, now, old, new)


def restates(old: Statement, new: Statement) -> bool:
    """Whether both give the same attribute, which has one value at a time, another value."""
    was, now = read_frame(old), read_frame(new)
    if _indefinite(was):
        return False
    return one_value(was, now, old, new) == "restated"


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
    before, after = said(uncounted(was.lead)), said(uncounted(now.lead))
    return bool(before - after - said(new.tokens)) and bool(after - before - said(old.tokens))


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


def _joins(statement: Statement) -> int:
    return sum(token.raw == "," or token.key in ("and", "or") for token in statement.tokens)


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
        return one_value(was, now, old, new) != "apart"  # "now supports Swift" as well
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


def _kin(old: Statement, new: Statement) -> bool:
    """Somebody of somebody's in the new one that the old one doesn't speak of."""
    spoken = said(old.tokens)
    return any(
        token.key in _KIN and (token.concept or token.key) not in spoken for token in new.tokens
    )


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
