"""Receipts, gaps and memory tests as REST answers them."""

from __future__ import annotations

from typing import Any

from memory_app.domain.times import iso
from memory_app.models import GapDecision, MemoryTest, MemoryTestRun
from memory_app.rest.replies import present
from memory_app.services.gaps import Gap
from memory_app.services.lab_replies import reason_reply
from memory_app.services.receipts import Difference, Receipt, Replay, Served
from memory_app.services.replies import memory_reply


def receipt_reply(receipt: Receipt) -> dict[str, Any]:
    recall = receipt.recall
    return {
        "id": recall.id,
        "at": iso(recall.created_at),
        "actor": recall.actor,
        "query": recall.query,
        "mode": recall.mode,
        "filters": recall.filters,
        "served": [_served(each) for each in receipt.served],
        "dropped": recall.dropped,
        "tokens": recall.tokens,
        "took_ms": recall.took_ms,
        "watermark": recall.watermark,
        "replayable": receipt.replayable,
    } | present(
        door=recall.door,
        tool=recall.tool,
        client=recall.client,
        best_refused_score=recall.best_refused_score,
    )


def replay_reply(replay: Replay) -> dict[str, Any]:
    return {
        "at": replay.at,
        "receipt": receipt_reply(replay.receipt),
        "differences": [_difference(each) for each in replay.differences],
        "took_ms": replay.took_ms,
    }


def gap_reply(gap: Gap) -> dict[str, Any]:
    return {
        "key": gap.key,
        "question": gap.question,
        "wordings": [wording.question for wording in gap.wordings],
        "asked": gap.number,
        "empty": gap.empty,
        "first_at": iso(gap.first),
        "last_at": iso(gap.last),
        "askers": list(gap.askers),
        "recall_id": gap.recall_id,
    } | present(best_score=gap.best)


def decision_reply(row: GapDecision) -> dict[str, Any]:
    return {
        "id": row.id,
        "question": row.question,
        "status": row.status,
        "asked": row.asked,
        "decided_by": row.decided_by,
        "created_at": iso(row.created_at),
    } | present(until=row.until, memory_id=row.memory_id, undone_at=row.undone_at)


def test_reply(test: MemoryTest) -> dict[str, Any]:
    return {
        "id": test.id,
        "query": test.query,
        "options": test.options,
        "memory_id": test.memory_id,
        "must_appear": test.must_appear,
        "within": test.within,
        "status": test.status,
        "created_by": test.created_by,
        "created_at": iso(test.created_at),
    } | present(
        agent=test.agent,
        note=test.note,
        status_since=test.status_since,
        last_run_at=test.last_run_at,
        last_place=test.last_place,
        last_reason=test.last_reason,
        deleted_at=test.deleted_at,
    )


def run_reply(row: MemoryTestRun) -> dict[str, Any]:
    return {
        "id": row.id,
        "at": iso(row.created_at),
        "status": row.status,
        "cause": row.cause,
        "stage": row.stage,
        "reason": row.reason,
        "watermark": row.watermark,
    } | present(place=row.place)


def _served(each: Served) -> dict[str, Any]:
    return {
        "id": each.id,
        "rank": each.rank,
        "matched": list(each.matched),
        "exact": each.exact,
        "changed": each.changed,
    } | present(score=each.score, memory=None if each.memory is None else memory_reply(each.memory))


def _difference(each: Difference) -> dict[str, Any]:
    return {"id": each.id, "kind": each.kind} | present(
        before=each.before,
        after=each.after,
        memory=None if each.memory is None else memory_reply(each.memory),
        reason=None if each.reason is None else reason_reply(each.reason),
    )
