"""Why something was served, wasn't, or was changed, in the dashboard's own words."""

from __future__ import annotations

import re

from dashboard.presenters.lab import CHANNELS

_CHANNEL = re.compile(
    rf"\b({'|'.join(CHANNELS)})\b(?= found it| did not find it| and \w+ with| with a sim|, | and |\.$)"
)
_MEMORY = re.compile(r"(?<=It was replaced by )mem_\w{26}")

_PROPOSAL = re.compile(r"(?<=decision) on prop_\w{26}")
_DECISIONS = {
    "keep_old": "the older one stays",
    "replace": "the newer one replaces the older",
    "both_stand": "both stand",
    "merge": "merged",
    "retire": "retired",
    "keep": "it stays",
}


def told(reason: str) -> str:
    """The reason of a ledger entry as people read it: a decision by its name, no id of a question."""
    return _DECISIONS.get(reason) or _PROPOSAL.sub("", reason)


def plainly(reason: str) -> str:
    """The sentences as REST gives them, with channels by their names here and no id of a memory: the
    page links to it.
    """
    said = _CHANNEL.sub(lambda found: CHANNELS[found.group(1)].lower(), reason)
    said = _MEMORY.sub("another memory", said)
    return said[:1].upper() + said[1:]
