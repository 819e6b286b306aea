"""What an answer was made of: kept by whoever has to explain it, dropped by everybody else.

The engine makes these values in any case, so recording them is handing over references.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory_app.recall.channels import Found
from memory_app.recall.channels.lexical import Term
from memory_app.recall.scope import Scope
from memory_app.recall.values import Hit, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Memories in their final order with what is known of each; ids are uuids as text.

    `whole` is that order before the limit. `first` are the fused scores of all candidates, `fused`
    those after `adjustments`. `looked` are the candidates whose surroundings were looked at, None in
    the modes that look at none; `beside` says which turns of a session stand next to each other.
    """

    order: Sequence[str]
    fused: Mapping[str, float] = field(default_factory=dict)
    cosines: Mapping[str, float | None] = field(default_factory=dict)
    channels: Mapping[str, Sequence[Found]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    best_refused: float | None = None
    adjustments: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    whole: Sequence[str] = ()
    refused: Sequence[str] = ()
    first: Mapping[str, float] = field(default_factory=dict)
    looked: Sequence[str] | None = None
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    terms: Sequence[Term] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One run as it was: `hits` are the loaded memories in order, before the budget cut any."""

    query: Query
    scope: Scope
    ranked: Ranked
    hits: Sequence[Hit]
    budget: int


@dataclass(slots=True)
class Trace:
    """Given to `run`, it holds the run afterwards."""

    seen: Seen | None = None

    @property
    def run(self) -> Seen:
        """Raises `RuntimeError` before the engine has run."""
        if self.seen is None:
            raise RuntimeError("nothing was recorded yet")
        return self.seen
