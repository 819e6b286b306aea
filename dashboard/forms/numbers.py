"""Numbers as people type them."""

from __future__ import annotations

# More digits fit no column, and Python refuses to read thousands of them.
_DIGITS = 18


def whole(text: str) -> int | str:
    """The number; what is none goes on as it is, for the service to refuse by name."""
    typed = text.strip()
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= _DIGITS else text
