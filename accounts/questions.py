"""A statement before it is asked, so that several can travel in one message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One statement that answers rows, with its named values.

    One that `repeats` has few texts and the same good plan whatever its values, so a connection
    plans it once; not so a statement whose best plan hangs on the bank it is asked of.
    """

    sql: str
    values: Mapping[str, Any]
    repeats: bool = False
