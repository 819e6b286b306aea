"""How good a bank is for those who read it: a score, what is weak, what to do, what recall cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.models import Memory, Recall, RecallSave
from memory_app.providers.clock import now
from memory_app.queries import health
from memory_app.queries.access import Access, resolve

WINDOW_DAYS = 30
SHOWN = 10
# Shares from which on something counts as weak.
UNANSWERED_SHARE = 0.25
STALE_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCost:
    """Searches of the last 30 days: how many, how many found something, what they handed out.

    `saves` counts what readers said a memory saved them, without a writer's praise of its own.
    """

    days: int
    reads: int
    answered: int
    tokens: int
    saves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """What is weak, the points it costs, and what to do about it."""

    what: str
    points: int
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BankHealth:
    """`stale` counts live, unpinned memories older than the bank's freshness days that were never
    recalled; `stale_ids` are the oldest of them.
    """

    access: Access
    score: int
    weak: tuple[Weakness, ...]
    counts: health.Health
    recall: RecallCost
    never_recalled: int
    stale: int
    stale_ids: tuple[str, ...]

    def reply(self) -> dict[str, Any]:
        """As REST and the command show it."""
        bank = self.access.bank
        return {
            "status": "degraded" if self.counts.failed_jobs else "ok",
            "score": self.score,
            "weak": [asdict(one) for one in self.weak],
            "embedding_model": bank.embedding_model,
            "dimensions": bank.dimensions,
            "head_watermark": bank.head_watermark,
            "counts": self.counts.counts(),
            "recall": asdict(self.recall),
            "never_recalled": self.never_recalled,
            "stale": self.stale,
            "stale_ids": list(self.stale_ids),
        }


def of_bank(actor: Actor, bank: str | None) -> BankHealth:
    """Eight queries; some pass over all rows of the bank."""
    moment = now()
    with acting_as(actor):
        access = resolve(actor, bank)
        counts = health.of_bank(access)
        recall = _recall(access, moment)
        live = Memory.objects.filter(bank_id=access.bank.id, retired_at=None, deleted_at=None)
        never = live.filter(recall_count=0)
        stale = _stale(access, never, moment)
        stale_count = stale.count()
        weak = tuple(_weak(counts, recall, stale_count))
        return BankHealth(
            access=access,
            score=max(0, 100 - sum(one.points for one in weak)),
            weak=weak,
            counts=counts,
            recall=recall,
            never_recalled=never.count(),
            stale=stale_count,
            stale_ids=tuple(row.id for row in stale.order_by("id").only("bank_id", "id")[:SHOWN]),
        )


def _stale(access: Access, never: QuerySet[Memory], moment: datetime) -> QuerySet[Memory]:
    before = moment - timedelta(days=access.bank.freshness_days)
    return never.filter(pinned_at=None, updated_at__lt=before)


def _recall(access: Access, moment: datetime) -> RecallCost:
    since = moment - timedelta(days=WINDOW_DAYS)
    searches = Recall.objects.filter(bank_id=access.bank.id, created_at__gte=since)
    totals = searches.exclude(query="").aggregate(
        reads=Count("id"),
        answered=Count("id", filter=Q(hit_count__gt=0)),
        spent=Sum("tokens"),
    )
    saves = RecallSave.objects.filter(
        bank_id=access.bank.id, counted=True, created_at__gte=since
    ).count()
    return RecallCost(
        days=WINDOW_DAYS,
        reads=totals["reads"],
        answered=totals["answered"],
        tokens=totals["spent"] or 0,
        saves=saves,
    )


def _weak(counts: health.Health, recall: RecallCost, stale: int) -> Iterator[Weakness]:
    live = max(1, counts.live)
    if counts.failed_jobs:
        yield Weakness(
            what=f"{counts.failed_jobs:,} background jobs failed for good",
            points=20,
            advice="Read their errors in the server's log, then run 'manage.py reindex'.",
        )
    if counts.without_vector:
        yield Weakness(
            what=f"{counts.without_vector:,} of {counts.cells:,} texts are found by word only",
            points=_points(30, counts.without_vector / max(1, counts.cells)),
            advice="See that a worker runs; 'manage.py reindex' makes the vectors at once.",
        )
    if counts.open_proposals:
        yield Weakness(
            what=f"{_waiting(counts.open_proposals)} for a person",
            points=_points(15, min(1.0, 2 * counts.open_proposals / live)),
            advice="Decide them on the review page.",
        )
    unanswered = recall.reads - recall.answered
    if recall.reads and unanswered / recall.reads > UNANSWERED_SHARE:
        yield Weakness(
            what=f"{unanswered:,} of {recall.reads:,} searches found nothing",
            points=_points(20, unanswered / recall.reads),
            advice="Look on the activity page what was asked for, and write it down.",
        )
    if stale / live > STALE_SHARE:
        yield Weakness(
            what=f"{stale:,} of {counts.live:,} memories are old and were never recalled",
            points=_points(15, stale / live),
            advice="Retire what no longer holds, pin what must stay.",
        )


def _waiting(number: int) -> str:
    return "1 proposal waits" if number == 1 else f"{number:,} proposals wait"


def _points(most: int, share: float) -> int:
    return max(1, round(most * share))
