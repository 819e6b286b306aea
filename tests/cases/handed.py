"""The handed bug cases, read as data where they are present; their texts stand in no file of ours."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_app.config.settings.base import BASE_DIR

PLACE = Path("shared") / "cases" / "bug_cases_handover.jsonl"
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """One case. `quoted` are the inputs its replay line shows, in order."""

    number: int
    family: str
    source: str
    replay: str

    @property
    def quoted(self) -> list[str]:
        return _QUOTED.findall(self.replay)


def handed_cases() -> dict[int, Handed]:
    """By number; empty where the file isn't."""
    place = _place()
    if not place.is_file():
        return {}
    lines = place.read_text(encoding="utf-8").splitlines()
    return {case.number: case for case in map(_read, filter(None, lines))}


def _read(line: str) -> Handed:
    raw: dict[str, Any] = json.loads(line)
    return Handed(
        number=raw["id"], family=raw["family"], source=raw["source"], replay=raw["replay"]
    )


def _place() -> Path:
    named = os.environ.get("COMMONPLACE_CASES")
    return Path(named) if named else BASE_DIR.parent / PLACE
