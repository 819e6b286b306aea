"""Statements that say themselves that something is over, read without a model.

Precision first: `ends` retires a memory without a human, so it answers yes only where subject,
relation and the value left behind (or a single-valued relation's new value) all agree.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from memory_app.domain.statements import Statement, Token, read_statement
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.spelling import plain, stem
from memory_app.writing.denials import denies, revalues
from memory_app.writing.supplanting import supplants, tells_change

_ADVERBS: Final = r"(?:(?:just|now|recently|finally|officially|since|already|completely|fully)\s)*"
_AUX: Final = rf"(?:(?:has|have|had|was|were|is|are|got)\s)?{_ADVERBS}(?:been\s)?"
_MOVED: Final = (
    r"(?:moved|relocated|switched|migrated|changed|transitioned|transferred|converted|reassigned|"
    r"renamed|went|upgraded|downgraded|shifted|rescheduled|postponed|raised|lowered|increased|"
    r"reduced|updated|pushed|bumped|went\s(?:up|down)|rose|fell|grew|dropped|cut|slipped|extended|shortened|delayed|pushed\sback|put\sback|moving|switching|migrating|relocating|changing)"
)
_SUBJECT: Final = r"(?P<subject>.+?)\s"
_TAIL: Final = r"(?P<after>.+?)"
_VERB: Final = (
    r"(?:\w+(?:s|ed)|use|run|are|have|go|store|send|deploy|write|build|host|work|keep|buy|pay|take)"
)
# In order of precedence: the fuller form stands before the one it contains.
_FORMS: Final = tuple(
    re.compile(rf"^{form}[.!]?$", re.IGNORECASE)
    for form in (
        rf"{_SUBJECT}{_AUX}{_MOVED}\s(?:over\s|away\s|back\s)?from\s(?P<before>.+?)\s(?:over\s)?(?:to|into)\s{_TAIL}",
        rf"(?:we|they|i|he|she)\s{_AUX}{_MOVED}\s(?P<subject>(?:the|our|my|all|his|her)\s.+?)\sfrom\s(?P<before>.+?)\s(?:over\s)?(?:to|into)\s{_TAIL}",
        rf"{_SUBJECT}(?:is|are)\snow\s(?P<after>.+?)\s?[,(]\s?(?:not|no\slonger|was|previously|formerly|instead\sof)\s(?P<before>[^()]+?)\)?",
        rf"{_SUBJECT}.*?\bno\slonger\s(?P<before>.+?)\s(?:but|and\snow|;|,)\s{_TAIL}",
        rf"{_SUBJECT}{_AUX}(?:left|quit|leaves)\s(?P<before>.+?)\s(?:and|to)\s{_ADVERBS}(?:joined|join|joins|started\s(?:at|with)|work\sfor|works\s(?:at|for))\s{_TAIL}",
        rf"{_SUBJECT}{_AUX}left\s(?P<before>.+?)\sfor\s{_TAIL}",
        rf"{_SUBJECT}{_AUX}(?:replaced|swapped|exchanged|substituted|traded)\s(?P<before>.+?)\s(?:with|for|by)\s{_TAIL}",
        rf"(?P<before>.+?)\s{_AUX}(?:replaced|superseded|succeeded)\sby\s{_TAIL}(?P<subject>)",
        rf"(?P<after>.+?)\s{_AUX}(?:replaced|replaces|superseded|supersedes|succeeded|succeeds|took\sover\sfrom|taken\sover\sfrom|takes\sover\sfrom)\s(?P<before>.+?)(?P<subject>)(?:\s(?:as|for)\s.+)?",
        rf"{_SUBJECT}(?:(?:has|have|now)\s)*(?P<after>{_VERB}\s.*?)\s(?:instead\sof|rather\sthan|in\splace\sof)\s(?P<before>.+?)",
        rf"instead\sof\s(?P<before>.+?),?\s(?P<subject>\S+(?:\s\S+)?)\s(?:now\s)?\w+s?\s{_TAIL}",
        rf"(?P<subject>.+?):?\s(?P<before>\S+)\s->\s{_TAIL}",
        rf"{_SUBJECT}.*?\bno\slonger\s(?P<before>.+)(?P<after>)",
        rf"{_SUBJECT}(?:does|do|is|are|can|will)(?:n't|\snot)\s(?P<before>.+?)\s(?:any\s?more|any\slonger)(?P<after>)",
        rf"{_SUBJECT}used\sto\s(?P<before>.+)(?P<after>)",
        rf"{_SUBJECT}{_AUX}(?:stopped|quit|gave\sup|given\sup|ceased|left|cancelled|canceled|dropped|abandoned|sold|resigned\sfrom|retired\sfrom|moved\saway\sfrom|moved\sout\sof|stepped\sdown\s(?:as|from)|unsubscribed\sfrom|discontinued)\s(?P<before>.+)(?P<after>)",
        rf"(?P<before>.+?)\s{_AUX}(?:deprecated|retired|decommissioned|discontinued|shut\sdown|switched\soff|turned\soff|removed|cancelled|canceled|abandoned|sunset)(?P<subject>)(?P<after>)(?:\s(?:in|on|as\sof|since)\s.+)?",
        rf"{_SUBJECT}{_AUX}{_MOVED}\s(?:over\s|back\s|up\s)?(?:to|into)\s{_TAIL}(?P<before>)",
        rf"{_SUBJECT}{_AUX}(?:started|starts|begun|began)\s(?:(?:working|a\snew\sjob)\s)?(?P<after>(?:as|at|with)\s.+?)(?P<before>)",
        rf"{_SUBJECT}{_AUX}(?:joined|joins)\s{_TAIL}(?P<before>)",
        rf"{_SUBJECT}(?:is|are)\snow\s{_TAIL}(?P<before>)",
        rf"{_SUBJECT}now\s(?P<after>\w+s\s.+?)(?P<before>)",
        rf"{_SUBJECT}{_AUX}(?:became|becomes|become|turned|turns)\s{_TAIL}(?P<before>)",
    )
)
# Each form holds one of these between spaces, and most texts hold none: they are spared the forms.
_MARKS: Final = frozenset(
    words(
        """
            moved relocated switched migrated changed transitioned transferred converted reassigned
            renamed went upgraded downgraded shifted rescheduled postponed raised lowered increased
            reduced updated pushed bumped rose fell grew dropped cut slipped extended shortened
            delayed put moving switching migrating relocating changing
            now longer more anymore -> instead rather place used left quit leaves stopped gave given
            ceased cancelled canceled abandoned sold resigned retired stepped unsubscribed
            discontinued replaced swapped exchanged substituted traded superseded succeeded replaces
            supersedes succeeds took taken takes deprecated decommissioned shut turned removed sunset
            started starts begun began joined joins became becomes become turns
        """
    )
)
_CHOICE: Final = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_FRONT: Final = re.compile(
    r"^(?:(?:as of|since|from|on|in|starting|effective|after|last|this|next)\s[^,]{1,40},\s"
    r"|(?:recently|now|today|update|correction|fyi|note)[,:]\s)",
    re.IGNORECASE,
)
_HYPOTHETICAL: Final = frozenset(
    words(
        """
            may might could would if whether plans plan planning wants want wanted considers
            considering considered hopes hope hoping thinks might should proposes proposed
            proposal suggests suggested almost nearly once when unless until will going not never
        """
    )
)
# What a state says of its subject: the relations a later statement can put an end to.
_RELATIONS: Final[dict[str, str]] = {
    **dict.fromkeys(["live", "reside", "residing", "based", "home", "located"], "residence"),
    **dict.fromkeys(
        ["work", "works", "job", "employed", "employer", "joined", "started", "employee"],
        "employment",
    ),
    **dict.fromkeys(["manager", "boss", "supervisor", "reports", "report"], "superior"),
    **dict.fromkeys(
        ["assigned", "member", "belongs", "leads", "lead", "staffed", "allocated"], "assignment"
    ),
    **dict.fromkeys(
        words(
            """
                uses use using runs run running hosted stores stored deployed built written stack
                relies prefers prefer subscribes subscribed pays drives owns keeps default
                primary official provider vendor tool host chats communicates sent publishes
            """
        ),
        "use",
    ),
    **dict.fromkeys(
        ["scheduled", "due", "deadline", "meeting", "launch", "release", "set", "planned"], "time"
    ),
}
_RELATION_STEMS: Final = {stem(word): relation for word, relation in _RELATIONS.items()}
# Relations with one value at a time: naming a new one is enough.
_SINGLE: Final = frozenset(("residence", "employment", "superior"))
_NOT_STATES: Final = frozenset(
    stem(word)
    for word in words(
        """
            born visited visit grew studied likes like loves love hates hate dislikes wants want
            wish was were had went from knows know knew met read wrote written about speaks speak
            remembers believes thinks history background originally allergic named once ago
            during first wedding funeral graduated married moved left joined signed bought tested
            evaluated compared considered rejected founded created invented designed
        """
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`before` is over, `after` holds; either may be missing. `subject` is empty if unnamed."""

    subject: str
    before: str | None
    after: str | None


@lru_cache(maxsize=256)  # a text is read for the judge and again for the plan
def explicit_change(text: str) -> Change | None:
    """The change `text` itself announces, or None. Plans and wishes are no changes."""
    sentence = _FRONT.sub("", plain(text))
    if _MARKS.isdisjoint(sentence.lower().rstrip(".!").split()):
        return None
    if len(sentence) > 400 or _HYPOTHETICAL & _lead(sentence):
        return None
    for form in _FORMS:
        if found := form.match(sentence):
            parts = {name: (part or "").strip(" ,;.!") for name, part in found.groupdict().items()}
            return Change(
                subject=parts["subject"],
                before=parts["before"] or None,
                after=parts["after"] or None,
            )
    return None


def may_end(text: str) -> bool:
    """Whether `ends` can be true of any older text: asked before one is compared."""
    return explicit_change(text) is not None or tells_change(text)


def _lead(sentence: str) -> set[str]:
    """The words before the change itself is named: that's where a wish or a doubt stands."""
    spoken = sentence.lower().replace("n't", " not").split()
    place = next(
        (i for i, word in enumerate(spoken) if word in ("from", "to", "longer", "instead", "with")),
        len(spoken),
    )
    lead = set(spoken[:place])
    return lead - {"not"} if "anymore" in spoken or "more" in spoken or "longer" in spoken else lead


def ends(old: str, new: str) -> bool:
    """Whether `new` says explicitly that the state stated by `old` is over."""
    if "\n" in old:
        return False
    if supplants(old, new):
        return True
    change = explicit_change(new)
    if change is None:
        return False
    was = read_statement(old)
    now = read_statement(new)
    if denies(was, now) or revalues(was, now):
        return True
    if was.negations or not _single_state(was):
        return False
    if change.before is not None:
        return _leaves(was, change, read_statement(change.before), now)
    return _replaces(was, change, now)


def _single_state(statement: Statement) -> bool:
    """One clause in the present: retiring more than one fact for the end of one loses the rest."""
    stems = {token.stem for token in statement.tokens if token.kind == "word"}
    if stems & _NOT_STATES:
        return False
    clauses = [t for t in statement.tokens[:-1] if t.kind == "mark" and t.raw in ".;!?"]
    keys = [token.key for token in statement.tokens]
    second_verb = any(
        key in ("and", "but") and following in _VERB_FORMS for key, following in pairwise(keys)
    )
    return not clauses and not second_verb


_VERB_FORMS: Final = frozenset(
    words(
        """
            is are has have lives works uses runs likes owns plays speaks wants prefers drives
            studies keeps writes leads reports needs does stores hosts serves sends
        """
    )
)


def _leaves(was: Statement, change: Change, before: Statement, new: Statement) -> bool:
    left = _keys(before.content)
    held = _keys(was.content)
    subject = _keys(read_statement(change.subject).content)
    value = left - _relation_words(before) - subject
    if not value and not (left and left <= held):
        return False
    if not value <= held or not _same_subject(was, change, new):
        return False
    if change.after is not None and _spellings(read_statement(change.after)) <= _spellings(was):
        return False
    relation = _relation(was)
    if change.after is not None:
        if _CHOICE.search(new.text) and _relation(new) != relation:
            return False
        return relation is not None or _copula(was)
    # Nothing new is named: the whole of the old statement must be what is over.
    rest = held - left - subject - _relation_words(was)
    if relation is None:
        return not rest and _placed(was)
    return not rest and _compatible(relation, _relation(before))


def _replaces(was: Statement, change: Change, new: Statement) -> bool:
    if change.after is None or not _same_subject(was, change, new):
        return False
    relation = _relation(was)
    now = _relation(new) or ("residence" if _moved_home(new) else None)
    if relation is None or relation not in _SINGLE or relation != now:
        return False
    held = _keys(was.content)
    after = read_statement(change.after)
    named = {_key(token) for token in after.content if token.capital or token.raw[:1].isupper()}
    return bool(named - held) and bool(
        _names(was) - named - _keys(read_statement(change.subject).content)
    )


def _same_subject(was: Statement, change: Change, new: Statement) -> bool:
    if not change.subject:
        return _names_only(change, was, new)
    subject = read_statement(change.subject)
    named = _keys(subject.content)
    wanted = named - _relation_words(subject) or named
    held = _keys(was.content[: len(named)])
    # "Kit's sister lives in Ayr" is about the sister.
    owned = {_key(t) for t in was.tokens if t.possessive} ^ {
        _key(t) for t in subject.tokens if t.possessive
    }
    if owned & wanted:
        return False
    if not wanted:
        return bool(was.persons & new.persons) or not _names_at_start(was)
    return wanted <= held


def _names_only(change: Change, was: Statement, new: Statement) -> bool:
    """ "Heron replaced Falcon": without a subject, what else is said must be of the old too."""
    before = _keys(read_statement(change.before or "").content)
    held = _keys(was.content)
    besides = _keys(t for t in new.content if not t.raw[:1].isupper() and t.stem not in _PASSINGS)
    return bool(before) and before <= held and besides - _relation_words(new) <= held


_PASSINGS: Final = frozenset(
    stem(word)
    for word in words(
        """
        replaced superseded succeeded took taken takes deprecated retired decommissioned
        discontinued shut switched turned removed cancelled canceled abandoned sunset head new
        """
    )
)


def _names_at_start(statement: Statement) -> bool:
    return any(token.raw[:1].isupper() and not token.light for token in statement.tokens[:2])


def _relation(statement: Statement) -> str | None:
    for token in statement.tokens:
        if token.stem in _RELATION_STEMS and not token.capital:
            return _RELATION_STEMS[token.stem]
    keys = [token.key for token in statement.tokens]
    owning = any(k in ("has", "have") and f in ("a", "an") for k, f in pairwise(keys))
    return "use" if owning else None


def _relation_words(statement: Statement) -> set[str]:
    return {_key(token) for token in statement.content if token.stem in _RELATION_STEMS}


def _compatible(relation: str, other: str | None) -> bool:
    return other is None or other == relation


def _copula(statement: Statement) -> bool:
    return any(token.key in ("is", "are") for token in statement.tokens)


def _placed(statement: Statement) -> bool:
    """ "is on the board": a place or a group that can be left."""
    keys = [token.key for token in statement.tokens]
    return any(k in BE and f in ("on", "in", "at", "with") for k, f in pairwise(keys))


def _moved_home(statement: Statement) -> bool:
    keys = {token.key for token in statement.tokens}
    return bool(keys & {"moved", "relocated"}) and not keys & {"team", "project", "department"}


def _names(statement: Statement) -> set[str]:
    return {
        _key(token)
        for token in statement.content
        if token.kind == "word" and (token.capital or token.raw[:1].isupper())
    }


def _spellings(statement: Statement) -> set[str]:
    """Unlike `_keys` these keep Teams, the product, and a team apart."""
    return {token.key for token in statement.content}


def _keys(tokens: Iterable[Token]) -> set[str]:
    return {_key(token) for token in tokens}


def _key(token: Token) -> str:
    return token.concept or token.key
