"""A run of the recall lab as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.queries.names import ActorName
from dashboard.forms.asking import TOOLS, LabQuery
from dashboard.place import Place
from dashboard.presenters import filters
from dashboard.presenters.memories import snippet
from memory_app.mcp.registry import all_tools
from memory_app.recall.reasons import Reason
from memory_app.recall.values import Hit
from memory_app.services.lab import Cut, LabRun

STAGES = {
    "served": "Served",
    "channels": "Found by no channel",
    "floor": "Below the asked similarity",
    "shortlist": "Too far down after fusion",
    "limit": "Beyond the limit",
    "tokens": "No room in the budget",
    "gone": "Deleted meanwhile",
    "retired": "Retired",
    "bin": "In the bin",
    "later": "Saved later",
    "then": "Not current then",
    "access": "No access",
    "erased": "Erased",
}
CHANNELS = {
    "dense": "Meaning",
    "lexical": "Words",
    "keyword": "Substring",
    "lookup": "Id or slug",
    "structural": "Profile",
    "recent": "Newest",
    "graph": "Graph",
}
_TIMES = {
    "embedding": "Query vector",
    "dense": "Meaning",
    "terms": "Rarity of words",
    "lexical": "Words",
    "surroundings": "Neighbours and age",
    "load": "Texts",
}

_FILTERS = (
    ("tags", "Tags, all of them", "ops, staging"),
    ("category", "Category", ""),
    ("collection", "Collection", ""),
    ("source", "Source", ""),
    ("authors", "Written by", "agent_…"),
    ("not_authors", "Not written by", "agent_…"),
    ("about", "About entities", "one or two names"),
    ("created_from", "Saved from", "2026-11-01"),
    ("created_to", "Saved before", ""),
    ("observed_from", "Happened from", ""),
    ("observed_to", "Happened before", ""),
    ("as_of", "As of", "now"),
)
_NAMES_SHOWN = 5
# What a phone folds: as whom, through what and how much is asked.
ASKED = ("agent", "tool", "mode", "limit", "min_score", "max_tokens")
# What stands in the folded part of the form.
FOLDED = (*(name for name, _, _ in _FILTERS), "pinned", "include_retired", "fusion", "graph")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterField:
    name: str
    label: str
    hint: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLine:
    """What one channel made of a hit; `adds` is its part of the fused score."""

    name: str
    rank: int | None
    score: float | None
    adds: float | None
    share: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCard:
    id: str
    rank: int
    title: str
    snippet: str
    url: str
    author: ActorName
    score: float | None
    fused: float
    lines: tuple[ChannelLine, ...]
    freshness: float | None
    lent: float | None
    path: str
    truncated: bool
    disputed: bool
    test_url: str
    never_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCard:
    """A memory that is not in the answer, or the one asked after, with its way through the stages."""

    id: str
    snippet: str
    url: str
    label: str
    text: str
    missed: str
    served: bool
    steps: tuple[tuple[str, bool, str], ...]
    why_url: str
    test_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CutGroup:
    stage: str
    label: str
    count: int
    more: int
    cards: tuple[ReasonCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    name: str
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What the connection may do: its tools, and those that its tier is too low for."""

    tier: str
    toolsets: str
    tools: str
    withheld: str
    missing: str


def filter_fields(given: Mapping[str, str]) -> list[FilterField]:
    """The text fields of the form's folded part, as typed."""
    return [
        FilterField(name=name, label=label, hint=hint, value=given.get(name, ""))
        for name, label, hint in _FILTERS
    ]


def present_hits(
    place: Place, found: LabRun, names: Mapping[str, ActorName], asked: LabQuery
) -> list[HitCard]:
    return [_hit(place, found, hit, names[hit.memory.author], asked) for hit in found.result.hits]


def present_cuts(place: Place, cuts: tuple[Cut, ...], asked: LabQuery) -> list[CutGroup]:
    return [
        CutGroup(
            stage=cut.stage,
            label=STAGES[cut.stage],
            count=cut.count,
            more=cut.count - len(cut.shown),
            cards=tuple(present_reason(place, reason, asked) for reason in cut.shown),
        )
        for cut in cuts
    ]


def present_reason(place: Place, reason: Reason, asked: LabQuery) -> ReasonCard:
    memory = reason.memory
    return ReasonCard(
        id=memory.id,
        snippet=snippet(memory.content),
        url=place.url("memory", memory.id),
        label=stage_label(reason.stage),
        text=reason.text,
        missed=missed_by(reason),
        served=reason.stage == "served",
        steps=tuple((stage_label(step.stage), step.passed, step.text) for step in reason.steps),
        why_url=lab_url(place, asked.given | {"why": memory.id}) + "#why",
        test_url=expecting_url(place, asked, memory.id),
    )


def present_timings(found: LabRun) -> list[Timing]:
    times = {"embedding": found.embedding_ms, **found.result.timings}
    return [
        Timing(name=_TIMES.get(name, name.capitalize()), ms=spent) for name, spent in times.items()
    ]


def present_permission(found: LabRun, tool: str) -> Permission | None:
    """None for a person, who has no tools."""
    asker = found.asker
    if asker.actor.kind != "agent":
        return None
    inside = [each for each in all_tools() if each.toolset in asker.toolsets]
    allowed = [each.name for each in inside if each.permitted(asker.tier, asker.toolsets)]
    return Permission(
        tier=asker.tier.replace("_", " and "),
        toolsets=", ".join(asker.toolsets),
        tools=", ".join(allowed),
        withheld=", ".join(each.name for each in inside if each.name not in allowed),
        missing=TOOLS[tool] if tool and tool not in allowed else "",
    )


def stage_label(stage: str) -> str:
    """A stage in plain words; `filter:tags` is "Filter: tags"."""
    if stage.startswith("filter:"):
        return f"Filter: {stage.partition(':')[2].replace('_', ' ')}"
    return STAGES.get(stage, stage.capitalize())


def missed_by(reason: Reason) -> str:
    """The distance to being served, with its unit."""
    if reason.missed is None:
        return ""
    if reason.unit == "tokens":
        return f"missed by {reason.missed:,.0f} tokens"
    what = {"cosine": "similarity", "score": "score"}[reason.unit]
    return f"missed by {reason.missed:.3f} {what}"


def lab_url(place: Place, given: Mapping[str, str]) -> str:
    return filters.address(place.url("lab"), given)


def expecting_url(place: Place, asked: LabQuery, memory_id: str, *, never: bool = False) -> str:
    """Where a test of this question and memory is made, with everything filled in."""
    kept = {name: value for name, value in asked.given.items() if name not in ("why", "tool")}
    kept |= {"memory": memory_id} | ({"never": "1"} if never else {})
    return filters.address(place.url("test-new"), kept)


def _hit(place: Place, found: LabRun, hit: Hit, author: ActorName, asked: LabQuery) -> HitCard:
    parts = found.contributions(hit.memory.id)
    beside = found.beside(hit.memory.id)
    return HitCard(
        id=hit.memory.id,
        rank=hit.rank,
        title=hit.memory.title,
        snippet=snippet(hit.memory.content),
        url=place.url("memory", hit.memory.id),
        author=author,
        score=hit.score,
        fused=hit.fused,
        lines=tuple(_lines(hit, parts)),
        freshness=hit.adjustments.get("freshness"),
        lent=hit.adjustments.get("neighbour"),
        path=_path(hit, beside, found.mentioned.get(hit.memory.id, ())),
        truncated=hit.truncated,
        disputed=bool(hit.disputed_by),
        test_url=expecting_url(place, asked, hit.memory.id),
        never_url=expecting_url(place, asked, hit.memory.id, never=True),
    )


def _lines(hit: Hit, parts: Mapping[str, float]) -> list[ChannelLine]:
    """A channel that found nothing may still add: a known cosine counts whoever found the memory."""
    total = sum(parts.values()) or 1.0
    return [
        ChannelLine(
            name=CHANNELS.get(name, name),
            rank=hit.channels[name].rank if name in hit.channels else None,
            score=hit.channels[name].score if name in hit.channels else None,
            adds=parts.get(name),
            share=round(100 * parts.get(name, 0.0) / total),
        )
        for name in dict.fromkeys([*hit.channels, *parts])
    ]


def _path(hit: Hit, beside: tuple[str, ...], mentioned: tuple[str, ...]) -> str:
    """How an expansion came to the hit; empty where a channel found it directly."""
    if mentioned:
        return f"The graph leads to it: it mentions {', '.join(mentioned[:_NAMES_SHOWN])}."
    if hit.via != "seed":
        return f"Reached by {hit.via}."
    if not hit.channels and beside:
        return "No channel found it: it stands beside a hit in the same session."
    if beside:
        return f"{len(beside)} turn{'s' * (len(beside) > 1)} beside it in its session lent a share."
    return ""
