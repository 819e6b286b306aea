"""The recall path: every read of every door goes through `run`.

Direction: engine > channels, fusion, freshness, packing > values. Engines compute and never commit.
"""

from memory_app.recall.engine import run
from memory_app.recall.values import ChannelScore, Filters, Hit, Query, Result

__all__ = ["ChannelScore", "Filters", "Hit", "Query", "Result", "run"]
