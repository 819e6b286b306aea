"""Newer wins ties (E7): up to 10 % on the fused score, fading to nothing over 90 days."""

from __future__ import annotations

DAY = 86_400


def preference(happened: float, now: float, *, weight: float, days: int) -> float:
    """The factor on the fused score: 1 + weight today, 1 from `days` on; the future is today.

    Both instants in unix seconds.
    """
    if days <= 0:
        return 1.0
    age = max((now - happened) / DAY, 0.0)
    return 1.0 + weight * max(0.0, 1.0 - age / days)
