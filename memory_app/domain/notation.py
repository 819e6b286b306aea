"""JSON as it comes in from outside: one meaning or none."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any


class RepeatedName(ValueError):
    """An object holds one name twice. Which of the values was meant nobody can know, and parsers
    differ in what they take: what one of them checked another would store.
    """

    def __init__(self, name: str) -> None:
        # Half a surrogate pair can stand in a name, but in no answer.
        self.name = name.encode("utf-8", "replace").decode()[:60]
        super().__init__(f"the name {self.name!r} is given twice in one object")


def parse_notation(text: str | bytes) -> Any:
    """The value. Raises `RepeatedName`, other `ValueError` for what isn't JSON (NaN too), and
    `RecursionError`.
    """
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise RepeatedName(next(name for name, count in counts.items() if count > 1))
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
