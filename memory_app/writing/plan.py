"""What a new text means for what is stored: known, created, replacing something, or doubtful.

Pure: loaded values in, a plan out; a service commits it. Order of the rules:

1. explicit change ("moved from A to B") that ends what an older memory states: the older one
   retires;
2. near-duplicate by cosine that the guards call the same statement, or a related one in the very
   same words: known, nothing is stored;
3. related by cosine: the judge's verdict, carried out above the bank's acting bar, queued for a
   person between the verdict bar and it, ignored below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory_app.providers.judging import Verdict
from memory_app.writing.changes import ends, may_end
from memory_app.writing.guards import differences, same_statement, same_wording

# At most so many pairs are judged inside a request, the closest first.
JUDGED_PAIRS = 4
# An explicit change is held against the nearest memories whatever their cosine, above this noise.
CHANGE_FLOOR = 0.30
# Differences that may be mere wording: a judged duplicate with no other is a question for a person.
WORDING = frozenset({"word", "detail", "tense"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The thresholds of a bank."""

    duplicate: float = 0.95
    related: float = 0.80
    verdict: float = 0.60
    acting: float = 0.85
    auto_link: float | None = None
    review_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A live memory near the new text. `whole` says that one cell holds all of its text."""

    memory_id: str
    text: str
    cosine: float
    head_watermark: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A pair for the review queue."""

    memory_id: str
    kind: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do. With `known_as` set nothing is stored and the other parts are empty."""

    known_as: str | None = None
    retire: tuple[str, ...] = ()
    queue: tuple[Doubt, ...] = ()
    link: tuple[tuple[str, float], ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)


def pairs_to_judge(text: str, candidates: Sequence[Candidate], bars: Bars) -> list[Candidate]:
    """The candidates whose fate needs a verdict, closest first, at most four.

    Those that a rule already decides are left out; so is everything once the text is known.
    """
    if _known(text, candidates, bars) is not None:
        return []
    related = [candidate for candidate in candidates if candidate.cosine >= bars.related]
    related = [candidate for candidate in related if not _over(candidate, text)]
    return sorted(related, key=lambda candidate: -candidate.cosine)[:JUDGED_PAIRS]


def make_plan(
    text: str,
    candidates: Sequence[Candidate],
    verdicts: Mapping[str, Verdict],
    bars: Bars,
    *,
    may_retire: bool = True,
) -> Plan:
    """The plan for `text`; `verdicts` by memory id, missing ones count as no verdict.

    With `may_retire=False` (imports) nothing stored is retired and nothing queued.
    """
    known = _known(text, candidates, bars)
    if known is not None:
        return Plan(known_as=known.memory_id, reasons={known.memory_id: "near-duplicate"})
    retire: dict[str, str] = {}
    queue: list[Doubt] = []
    judged: list[Doubt] = []
    for candidate in candidates if may_retire else ():
        over = _over(candidate, text)
        outcome = _outcome(text, candidate, verdicts.get(candidate.memory_id), bars, over=over)
        if outcome == "known":
            return Plan(known_as=candidate.memory_id, reasons={candidate.memory_id: "duplicate"})
        if isinstance(outcome, Doubt):
            queue.append(outcome)
        elif outcome is not None:
            retire[candidate.memory_id] = outcome
            if not over:
                probability = verdicts[candidate.memory_id].supersedes
                judged.append(
                    Doubt(
                        memory_id=candidate.memory_id,
                        kind="contradiction",
                        confidence=probability,
                    )
                )
    if len(judged) > 1:
        # One statement outdates one. What is said to outdate several is one more of a series, and
        # that is for a person to see.
        retire = {
            one: why for one, why in retire.items() if one not in {d.memory_id for d in judged}
        }
        queue += judged
    return Plan(
        retire=tuple(retire),
        queue=tuple(queue),
        link=_links(candidates, retire, bars),
        reasons=retire,
    )


def _known(text: str, candidates: Sequence[Candidate], bars: Bars) -> Candidate | None:
    close = [c for c in candidates if c.cosine >= bars.related and c.whole]
    for candidate in sorted(close, key=lambda c: -c.cosine):
        same = same_statement if candidate.cosine >= bars.duplicate else same_wording
        if same(candidate.text, text) and not ends(candidate.text, text):
            return candidate
    return None


def _over(candidate: Candidate, text: str) -> bool:
    """Whether the text says itself that the candidate's state is over."""
    return candidate.cosine >= CHANGE_FLOOR and may_end(text) and ends(candidate.text, text)


def _outcome(
    text: str, candidate: Candidate, verdict: Verdict | None, bars: Bars, *, over: bool
) -> str | Doubt | None:
    """ "known", the reason to retire the candidate, a doubt, or None: both stand."""
    if over:
        if bars.review_only:
            return Doubt(memory_id=candidate.memory_id, kind="contradiction", confidence=0.99)
        return "the new statement says that this one is over"
    if verdict is None or candidate.cosine < bars.related:
        return None
    kind, probability = verdict.best
    if kind == "unrelated" or probability <= bars.verdict:
        return None
    if kind == "duplicate" or same_statement(candidate.text, text):
        apart = differences(candidate.text, text)
        if not candidate.whole or apart - WORDING:
            return None
        if apart:
            return Doubt(memory_id=candidate.memory_id, kind="duplicate", confidence=probability)
        if kind == "duplicate" and probability >= bars.acting and not bars.review_only:
            return "known"
        return Doubt(memory_id=candidate.memory_id, kind="duplicate", confidence=probability)
    if probability >= bars.acting and not bars.review_only and candidate.whole:
        return f"judged superseded, p = {probability:.2f}"
    return Doubt(memory_id=candidate.memory_id, kind="contradiction", confidence=probability)


def _links(
    candidates: Sequence[Candidate], retired: Mapping[str, str], bars: Bars
) -> tuple[tuple[str, float], ...]:
    if bars.auto_link is None:
        return ()
    return tuple(
        (candidate.memory_id, round(candidate.cosine, 4))
        for candidate in candidates
        if candidate.cosine >= bars.auto_link and candidate.memory_id not in retired
    )[:5]
