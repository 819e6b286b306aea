"""A statement before it is asked, so that several can travel in one message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One statement that answers rows, with its named values."""

    sql: str
    values: Mapping[str, Any]
