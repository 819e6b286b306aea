"""What is asked of recall and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory_app.models import Memory

Mode = Literal["hybrid", "vector", "keyword", "lookup", "profile", "recent"]
FusionName = Literal["weighted", "reciprocal_rank"]

TOKEN_BUDGET = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Every one given has to hold; an empty value asks for nothing.

    `tags` are carried all; `authors` are actor ids, one of which wrote it. `about` holds one or two
    exact names of entities: what mentions or asserts the one, or what is asserted between the two,
    either way round. Times are half-open: from the first instant up to, not including, the second.
    """

    tags: tuple[str, ...] = ()
    category: str | None = None
    collection: str | None = None
    authors: tuple[str, ...] = ()
    not_authors: tuple[str, ...] = ()
    source: str | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    observed_from: datetime | None = None
    observed_to: datetime | None = None
    pinned: bool | None = None
    about: tuple[str, ...] = ()
    include_retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question. Without text it is the profile, except in the mode "recent": the newest.

    `explain` adds to each hit what moved it apart from the channels. `watermark` is the ledger's
    number at `as_of`, where the caller knows it. `graph` adds the channel of that name, None as the
    server is set. `weights` are the fusion's own, for measuring.
    """

    text: str | None = None
    mode: Mode = "hybrid"
    limit: int = 10
    min_score: float | None = None
    max_tokens: int | None = None
    filters: Filters = Filters()
    as_of: datetime | None = None
    watermark: int | None = None
    explain: bool = False
    fusion: FusionName = "weighted"
    graph: bool | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_profile(self) -> bool:
        if self.mode == "recent":
            return False
        return self.mode == "profile" or not (self.text or "").strip()

    @property
    def is_search(self) -> bool:
        """Whether a text is looked for: what is counted, unlike the profile and the newest."""
        return not self.is_profile and self.mode != "recent"

    @property
    def needs_vector(self) -> bool:
        """Whether the caller should embed the text (kind "query") before the transaction."""
        return self.is_search and self.mode != "lookup"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelScore:
    """Where a channel put a memory (1 = first), and by what score of its own."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory in an answer. `score` is the cosine to the query; None without a vector.

    `memory` holds the fields as they stood at `as_of`, when that was asked. `fused` makes the
    order and means nothing else.
    """

    memory: Memory
    score: float | None
    rank: int
    matched: tuple[str, ...]
    via: str = "seed"
    channels: Mapping[str, ChannelScore] = field(default_factory=dict)
    truncated: bool = False
    disputed_by: tuple[str, ...] = ()
    fused: float = 0.0
    # `neighbour`: what the turn beside it lent; `freshness`: the factor for being new.
    adjustments: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An answer, with what it left out and why.

    `dropped` counts by reason: `min_score` (below the asked score), `tokens` (no room), `retired`
    (outdated memories at least as close as the last hit). `watermark` is the state answered from.
    """

    hits: tuple[Hit, ...]
    profile: bool
    dropped: Mapping[str, int]
    best_refused_score: float | None
    timings: Mapping[str, float]
    tokens: int
    watermark: int
