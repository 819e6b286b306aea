"""Questions that recall could not answer, grouped by their words. Inside `acting_as`.

Nothing is kept for this: the read log says what was asked, and the newest 5,000 of its entries are
read in one statement, whatever its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import from_uuid, is_id, to_uuid
from memory_app.models import GapDecision
from memory_app.queries.access import Access

RECALLS_READ = 5_000
GROUPS = 100
# Nothing this far away in meaning has ever answered a question.
FLOOR = 0.25
_ASKERS = 10

# A look in the lab is no question of an agent's; neither is what was asked of an earlier time.
_OPEN = """
WITH asked AS MATERIALIZED (
  SELECT id, actor, query, created_at, hit_count, hits, best_refused_score
  FROM recalls
  WHERE bank_id = %(bank)s AND organization_id = %(organization)s AND query <> ''
    AND mode IN ('hybrid', 'vector', 'keyword') AND tool <> 'run_lab' AND NOT filters ? 'as_of'
  ORDER BY id DESC LIMIT %(read)s
), judged AS MATERIALIZED (
  SELECT asked.*, row_number() OVER (ORDER BY id DESC) AS n, coalesce(
      nullif(array_to_string(tsvector_to_array(
        to_tsvector(%(language)s::regconfig, left(query, 2000))), ' '), ''),
      lower(left(query, 2000))) AS words,
    best.score AS best
  FROM asked CROSS JOIN LATERAL (
    SELECT max((score #>> '{}')::float) AS score
    FROM jsonb_path_query(hits, '$[*].score ? (@.type() == "number")') score) best
), marked AS (
  SELECT *, hit_count = 0 OR best < %(floor)s AS open FROM judged
), grouped AS (
  SELECT md5(words) AS key, count(*) FILTER (WHERE open) AS number,
    min(n) FILTER (WHERE open) AS newest, min(n) FILTER (WHERE NOT open) AS answered,
    max(created_at) FILTER (WHERE open) AS last, min(created_at) FILTER (WHERE open) AS first,
    count(*) FILTER (WHERE open AND hit_count = 0) AS empty,
    max(coalesce(best, best_refused_score)) FILTER (WHERE open) AS best,
    (array_agg(DISTINCT actor) FILTER (WHERE open))[1:%(askers)s] AS askers,
    (array_agg(query ORDER BY n) FILTER (WHERE open))[1] AS question,
    (array_agg(id ORDER BY n) FILTER (WHERE open))[1] AS recall
  FROM marked GROUP BY words
)
SELECT key, number, last, first, empty, best, askers, question, recall
FROM grouped LEFT JOIN LATERAL (
  SELECT status, until, created_at FROM gap_decisions d
  WHERE d.bank_id = %(bank)s AND d.keys @> ARRAY[grouped.key]::varchar[] AND d.undone_at IS NULL
  ORDER BY d.id DESC LIMIT 1) decided ON true
WHERE number > 0 AND (answered IS NULL OR newest < answered)
  AND (decided.status IS NULL
    OR (decided.status = 'snoozed' AND decided.until <= %(now)s)
    OR (decided.status = 'answered' AND last > decided.created_at))
ORDER BY newest LIMIT %(groups)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A question in the words of one group: how often it came back empty or far off since it was
    last answered or ever, by whom, and the newest such recall.
    """

    key: str
    question: str
    number: int
    empty: int
    first: datetime
    last: datetime
    best: float | None
    askers: tuple[str, ...]
    recall_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPage:
    decisions: tuple[GapDecision, ...]
    next_after: str | None


def open_wordings(access: Access, *, floor: float, now: datetime) -> list[Wording]:
    """The newest 100 unanswered wordings, the last asked first. One statement."""
    values: dict[str, Any] = {
        "bank": to_uuid("bank", access.bank.id),
        "organization": to_uuid("org", access.actor.organization_id),
        "language": access.bank.text_search,
        "read": RECALLS_READ,
        "groups": GROUPS,
        "askers": _ASKERS,
        "floor": floor,
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, values)
        rows = cursor.fetchall()
    return [
        Wording(
            key=key,
            question=question,
            number=number,
            empty=empty,
            first=first,
            last=last,
            best=best,
            askers=tuple(askers),
            recall_id=from_uuid("rec", recall),
        )
        for key, number, last, first, empty, best, askers, question, recall in rows
    ]


def decisions(
    access: Access, status: str, *, after: str | None = None, limit: int = 50
) -> DecisionPage:
    """What was answered, snoozed or dismissed, newest first. One query.

    Raises `InvalidArgument` for a cursor that is no decision's id.
    """
    rows = GapDecision.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        status=status,
        undone_at=None,
    ).order_by("-id")
    if after:
        if not is_id("gap", after):
            raise InvalidArgument(
                "after is not the cursor of a page of gaps.",
                hint="Follow the link to the next page, or leave it out.",
                field="after",
            )
        rows = rows.filter(id__lt=to_uuid("gap", after))
    found: Sequence[GapDecision] = list(rows[: limit + 1])
    page = tuple(found[:limit])
    return DecisionPage(decisions=page, next_after=page[-1].id if len(found) > limit else None)


def find_decision(access: Access, reference: str) -> GapDecision:
    """By id. Raises `NotFound` and `WrongIdPrefix`."""
    row = GapDecision.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        id=to_uuid("gap", reference),
    ).first()
    if row is None:
        raise NotFound("gap decision")
    return row


def standing_decision(
    access: Access, keys: Sequence[str], *, now: datetime, since: datetime | None = None
) -> GapDecision | None:
    """The newest decision about any of these groups that still holds. One query.

    `since`: only one that was made after that moment.
    """
    rows = GapDecision.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        keys__overlap=list(keys),
        undone_at=None,
    ).exclude(status="snoozed", until__lte=now)
    if since is not None:
        rows = rows.filter(created_at__gt=since)
    return rows.order_by("-id").first()
