"""A run of the recall lab as REST and the dashboard's JSON view answer it."""

from __future__ import annotations

from typing import Any

from memory_app.recall.reasons import Reason
from memory_app.services.lab import LabRun
from memory_app.services.replies import hit_reply, memory_reply


def lab_reply(found: LabRun) -> dict[str, Any]:
    """Everything that was seen: hits with every figure, what each stage cut, times by stage."""
    result = found.result
    reply: dict[str, Any] = {
        "asked_as": _asker(found),
        "memories": [_hit(found, hit) for hit in result.hits],
        "profile": result.profile,
        "dropped": dict(result.dropped),
        "tokens": result.tokens,
        "budget": found.fates.seen.budget,
        "watermark": result.watermark,
        "has_vector": found.has_vector,
        "timings": {"embedding": found.embedding_ms, **result.timings},
        "cut": [
            {
                "stage": cut.stage,
                "count": cut.count,
                "memories": [reason_reply(reason) for reason in cut.shown],
            }
            for cut in found.cuts
        ],
        "hidden": [reason_reply(reason) for reason in found.hidden],
    }
    if result.best_refused_score is not None:
        reply["best_refused_score"] = round(result.best_refused_score, 6)
    if found.reason is not None:
        reply["why"] = reason_reply(found.reason)
    return reply


def reason_reply(reason: Reason) -> dict[str, Any]:
    """Where a memory fell, in words and by how much, with every stage before."""
    reply: dict[str, Any] = {
        "memory": memory_reply(reason.memory),
        "stage": reason.stage,
        "reason": reason.text,
        "steps": [
            {"stage": step.stage, "passed": step.passed, "reason": step.text}
            for step in reason.steps
        ],
    }
    if reason.missed is not None:
        reply |= {"missed_by": round(reason.missed, 6), "unit": reason.unit}
    return reply


def _asker(found: LabRun) -> dict[str, Any]:
    asker = found.asker
    reply: dict[str, Any] = {"actor": asker.actor.id, "tier": asker.tier}
    if asker.actor.kind == "agent":
        reply["toolsets"] = list(asker.toolsets)
    return reply


def _hit(found: LabRun, hit: Any) -> dict[str, Any]:
    parts = found.contributions(hit.memory.id)
    channels = {
        name: {"rank": place.rank, "score": round(place.score, 6)}
        | ({"adds": round(parts[name], 6)} if name in parts else {})
        for name, place in hit.channels.items()
    }
    adjustments = {name: round(value, 6) for name, value in hit.adjustments.items()}
    shown = hit_reply(hit) | {
        "fused": round(hit.fused, 6),
        "channels": channels,
        "adjustments": adjustments,
    }
    paths = {
        "beside": found.beside(hit.memory.id),
        "mentions": found.mentioned.get(hit.memory.id, ()),
    }
    return shown | {name: list(values) for name, values in paths.items() if values}
