"""Where the local judges know less than their probabilities say.

A hedged verdict has its probabilities drawn together: at 0.5 a human decides, at 0.3 nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from memory_app.domain.statements import Kind, Statement, read_statement
from memory_app.domain.statements.comparing import remainder
from memory_app.domain.statements.lexicon import BE, words
from memory_app.domain.statements.outlook import Outlook, outlook
from memory_app.domain.statements.particles import simple_past
from memory_app.providers.judging.features import CHANGES, NEWNESS
from memory_app.providers.judging.protocol import Pair
from memory_app.providers.judging.scoring import Scores, log_softmax

_LONGEST_STATEMENT: Final = 45  # words
_FOREIGN: Final = 0.5  # share of letters outside ASCII
_MOMENTS: Final[tuple[Kind, ...]] = ("date", "weekday", "month", "time")
_PLACING: Final = frozenset(words("in on at"))
# What a thing is set to, one at a time.
_SET: Final = frozenset(words("port version release"))
_PARTS: Final = frozenset(words("one some part half most several"))
# Small words of other languages that are no words of English.
_FOREIGN_WORDS: Final = frozenset(
    words(
        """
        der das ist und nicht mit ein eine einen keine auf zum zur sind wird von
        le les est et une du au aux des dans avec pas qui il elle sur pour
        el los las es y una del por que su está
        lo gli non della nel sono è
        os um uma em não com é
        het een niet op zijn
        og er den det ikke på av är och inte
        jest nie się w z na bir ve değil
        """
    )
)
_ENGLISH_WORDS: Final = frozenset(
    words(
        """
        the is are was were of and with his her their has have had does did do this that it they
        from by at as for to be been will not no never an or if we you he she uses use likes lives
        works keep user
        """
    )
)


# What a reading takes from (duplicate, supersedes, unrelated), in the models' own measure.
_AGAINST: Final[dict[Outlook, tuple[float, float, float]]] = {
    "apart": (-2.0, -6.0, 0.0),
    "added": (-2.0, -6.0, 0.0),
    "unasserted": (-2.0, -6.0, 0.0),
    "restated": (-3.0, 0.0, 0.0),
}
_NOTHING: Final = (0.0, 0.0, 0.0)
# A pair whose wording says that something changed is worth a person's question.
_ASKED: Final = 0.75


def outlooks(pairs: Sequence[Pair]) -> list[Outlook]:
    """What the wording alone tells of each pair; 0.1 ms each."""
    return [outlook(pair.old, pair.new) for pair in pairs]


def against(looks: Sequence[Outlook]) -> Scores:
    """What those take from the scores: known before any model is asked."""
    return np.array([_AGAINST.get(look, _NOTHING) for look in looks], dtype=np.float64)


def hedged(pairs: Sequence[Pair], looks: Sequence[Outlook], scores: Scores) -> Scores:
    """The log-probabilities, drawn together where the models are out of their depth."""
    rows = zip(pairs, looks, scores + against(looks), strict=True)
    return np.array([_hedged(pair, look, row) for pair, look, row in rows])


def _hedged(pair: Pair, look: Outlook, row: Scores) -> Scores:
    sureness = _sureness(pair, look, supersedes=bool(row.argmax() == 1))
    drawn: Scores = log_softmax([row * sureness])[0]
    asked = look in ("restated", "announced") and (_strange(pair) or not _doubtful(pair, look))
    if asked and np.exp(drawn[1]) < _ASKED:
        return _asked(drawn)
    # Without a word of change nobody but a person knows whether it moved or is in both.
    surer = (
        look in ("restated", "unsupported") and np.exp(drawn[1]) > _ASKED and _place_numbered(pair)
    )
    return _asked(drawn) if surer else drawn


def _asked(row: Scores) -> Scores:
    """Just likely enough for a person to be asked."""
    chances = np.exp(row)
    rest = chances * (1 - _ASKED) / max(1e-9, chances[0] + chances[2])
    rest[1] = _ASKED
    found: Scores = np.log(rest)
    return found


def _sureness(pair: Pair, look: Outlook, *, supersedes: bool) -> float:
    if supersedes and look == "unsupported":
        return 0.5
    if supersedes and _of_others(pair):
        return 0.3
    if supersedes and _may_both_hold(pair, changed=look == "announced"):
        return 0.4
    return 0.5 if _strange(pair) else 1.0


def _of_others(pair: Pair) -> bool:
    return _other_subject(pair) or _renumbered(pair)


def _doubtful(pair: Pair, look: Outlook) -> bool:
    return _renumbered(pair) or _may_both_hold(pair, changed=look == "announced")


def _strange(pair: Pair) -> bool:
    """Long or not English: both models were trained on single English sentences."""
    return _unlike_training(pair.old) or _unlike_training(pair.new)


def _unlike_training(text: str) -> bool:
    if _foreign(text):
        return True
    letters = [character for character in text[:500] if character.isalpha()]
    foreign = sum(not character.isascii() for character in letters)
    words = sum(token.kind != "mark" for token in read_statement(text).tokens)
    return words > _LONGEST_STATEMENT or foreign > _FOREIGN * max(1, len(letters))


def _foreign(text: str) -> bool:
    """Latin letters, but small words of another language and none of English alone."""
    spoken = set(text.lower().replace("'", " ").strip(" .!?").split())
    return bool(spoken & _FOREIGN_WORDS) and not spoken & _ENGLISH_WORDS


def _may_both_hold(pair: Pair, *, changed: bool) -> bool:
    """Alike, yet one may be no later state of the other: what happened isn't undone by what happens.

    A past event; two readings of two moments; two sorts of a thing with a value each; what belongs
    to somebody else; a part of the whole.
    """
    old, new = read_statement(pair.old), read_statement(pair.new)
    if any(simple_past(old)) or _owns_another(old, new) or _owns_another(new, old):
        return True
    if _spoken(new) & _PARTS - _spoken(old) or _conflict(_numbered(old), _numbered(new)):
        return True
    repeated = Counter(token.stem for token in new.content if token.raw.islower())
    if any(number > 1 and stem in _said(old) for stem, number in repeated.items()):
        return True  # glasses replaced with new glasses are glasses
    keys = {token.key for token in new.tokens}
    if changed or (CHANGES | NEWNESS) & keys:
        return False
    left = remainder(old, new)
    moments = [kind for kind in _MOMENTS if _conflict(old.keys(kind), new.keys(kind))]
    values = bool(moments) or _conflict(old.keys("number"), new.keys("number"))
    said = bool(left.old) and bool(left.new)
    return (values and said) or (bool(moments) and _numbers(old) != _numbers(new))


def _spoken(statement: Statement) -> set[str]:
    return {token.raw.lower() for token in statement.tokens}


def _numbered(statement: Statement) -> frozenset[tuple[str, str]]:
    """ "Sprint 12": a word and its number in front of everything else but an article."""
    tokens = [token for token in statement.tokens if token.key not in ("the", "a", "an")][:2]
    kinds = [token.kind for token in tokens]
    return frozenset([(tokens[0].key, tokens[1].key)] if kinds == ["word", "number"] else [])


def _owns_another(statement: Statement, other: Statement) -> bool:
    """Whether something belongs to somebody here that isn't named there: "Kit's old car"."""
    content = statement.content
    return any(
        token.possessive and not {t.stem for t in content[place + 1 : place + 3]} & _said(other)
        for place, token in enumerate(content[:-1])
    )


def _said(statement: Statement) -> set[str]:
    return {token.stem for token in statement.tokens}


def _other_subject(pair: Pair) -> bool:
    """BH-7 and BH-9, ticket 12 and ticket 13, Anna and Bob: alike in all but what they are about.

    A statement that says by a word that something changed may be about the other one.
    """
    old, new = read_statement(pair.old), read_statement(pair.new)
    if (CHANGES | NEWNESS) & {token.key for token in new.tokens}:
        return False
    return _conflict(old.keys("identifier"), new.keys("identifier")) or _conflict(
        _subject(old, new), _subject(new, old)
    )


def _renumbered(pair: Pair) -> bool:
    """District 3 employs 4, district 4 employs 5: of two new numbers one may be a name."""
    old, new = read_statement(pair.old), read_statement(pair.new)
    if (CHANGES | NEWNESS) & {token.key for token in new.tokens}:
        return False
    was, now = _numbers(old), _numbers(new)
    return len(was) == len(now) and sum(a != b for a, b in zip(was, now, strict=True)) > 1


def _place_numbered(pair: Pair) -> bool:
    """ "In room 12", "on the third floor": the number is a place's name, no measure."""
    old, new = read_statement(pair.old), read_statement(pair.new)
    return not (CHANGES | NEWNESS) & {token.key for token in new.tokens} and _conflict(
        _places(old), _places(new)
    )


def _places(statement: Statement) -> frozenset[tuple[str, str]]:
    found = []
    tokens = [token for token in statement.tokens if token.key not in ("the", "a", "an")]
    for before, first, second in zip(tokens, tokens[1:], tokens[2:], strict=False):
        # Elsewhere "second" is sixty to a minute.
        kinds = {"number" if one.key == "second" else one.kind: one for one in (first, second)}
        if before.key in _PLACING and set(kinds) == {"number", "word"}:
            number, word = kinds["number"], kinds["word"]
            found += [(word.stem, number.key)] if word.key not in _SET and not number.unit else []
    return frozenset(found)


def _numbers(statement: Statement) -> list[str]:
    return [token.key for token in statement.tokens if token.kind == "number"]


def _conflict(was: frozenset[Any], now: frozenset[Any]) -> bool:
    return bool(was - now) and bool(now - was)


def _subject(statement: Statement, other: Statement) -> frozenset[str]:
    """Names and numbers in front of the verb that the other statement doesn't have."""
    tokens = statement.tokens
    end = next((i for i, token in enumerate(tokens) if token.key in BE), min(3, len(tokens)))
    left = remainder(statement, other).old
    return frozenset(
        token.key
        for token in tokens[: max(1, end)]
        if token.kind == "number"
        or (token in left and token.kind == "word" and token.raw[:1].isupper())
    )
