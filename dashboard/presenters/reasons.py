"""Why a memory was served or wasn't, in the dashboard's own words for the channels of recall."""

from __future__ import annotations

import re

from dashboard.presenters.lab import CHANNELS

_CHANNEL = re.compile(
    rf"\b({'|'.join(CHANNELS)})\b(?= found it| did not find it| and \w+ with| with a sim|, | and |\.$)"
)
_MEMORY = re.compile(r"(?<=It was replaced by )mem_\w{26}")


def plainly(reason: str) -> str:
    """The sentences as REST gives them, with channels by their names here and no id of a memory: the
    page links to it.
    """
    said = _CHANNEL.sub(lambda found: CHANNELS[found.group(1)].lower(), reason)
    said = _MEMORY.sub("another memory", said)
    return said[:1].upper() + said[1:]
