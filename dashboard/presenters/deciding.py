"""One decision on many questions in plain words: the buttons, and what the count is asked about."""

from __future__ import annotations

from dashboard.presenters.bulk import Choice
from memory_app.services.bulk.deciding import ACTION, OFFERED

_COUNTED = {
    "contradiction": ("contradiction", "contradictions"),
    "duplicate": ("repeat", "repeats"),
    "retirement": ("retirement", "retirements"),
    "entities": ("pair of entities", "pairs of entities"),
    "pins": ("old pin", "old pins"),
}
# (kind, decision) -> the button, and the verb that stands before the number.
_WORDS = {
    ("contradiction", "replace"): ("Replace the first", "Replace the first in", "archive"),
    ("contradiction", "keep_old"): ("Keep the first", "Keep the first in", "archive-restore"),
    ("contradiction", "both_stand"): ("Both stand", "Let both stand in", "equal"),
    ("duplicate", "merge"): ("Merge", "Merge", "merge"),
    ("duplicate", "both_stand"): ("Both stand", "Let both stand in", "equal"),
    ("retirement", "retire"): ("Retire", "Agree to", "archive"),
    ("retirement", "keep"): ("Keep", "Refuse", "x"),
    ("entities", "accept"): ("Merge", "Merge", "git-merge"),
    ("entities", "reject"): ("Keep apart", "Keep apart", "split"),
    ("pins", "confirm"): ("Still hold", "Confirm", "pin"),
    ("pins", "unpin"): ("Unpin", "Unpin", "pin-off"),
    ("pins", "retire"): ("Retire", "Retire", "archive"),
}


def present_many(kind: str) -> tuple[Choice, ...]:
    """The buttons of the bar; none on a page of several kinds."""
    return tuple(present_one(kind, decision) for decision in OFFERED.get(kind, ()))


def present_one(kind: str, decision: str) -> Choice:
    """`action` is the decision here: what the bar's button says and the form carries on."""
    label, does, icon = _WORDS[kind, decision]
    return Choice(action=decision, label=label, icon=icon, does=does, done=ACTION)


def counted_questions(kind: str, number: int) -> str:
    one, many = _COUNTED[kind]
    return f"1 {one}" if number == 1 else f"{number:,} {many}"
