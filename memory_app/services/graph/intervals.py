"""Intervals of the graph's rows: a row that stands again keeps its id, and the past keeps its own.

Inside the bank's open book. What stood until a change and what took its place then are both in the
table, so that `as_of` answers for the time before, within and after.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_app.domain.ids import new_id
from memory_app.models import Assertion, Mention, Relationship


def copy_row(row: Any, prefix: str, since: int, **changed: str) -> Any:
    """A new row like this one from `since` on, not yet stored."""
    fields = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return type(row)(**fields | {"id": new_id(prefix), "since": since, "until": None} | changed)


def reopen(
    kind: type[Mention] | type[Assertion], bank_id: str, ids: Iterable[str], *, since: int
) -> None:
    """These stand again from `since`; a copy keeps the interval they had. Three statements."""
    rows: Any = kind.objects.filter(bank_id=bank_id, id__in=list(ids), until__isnull=False)
    prefix = "mention" if kind is Mention else "assert"
    kept = [_kept(row, prefix) for row in rows]
    rows.update(since=since, until=None)
    kind.objects.bulk_create(kept, batch_size=500)


def reopen_edges(bank_id: str, ids: Iterable[str], *, since: int) -> None:
    """The same for relationships: one that is declared leaves a copy, with what backed it until then.

    One that isn't declared stands for as long as a memory backs it: its assertions tell when.
    """
    edges = Relationship.objects.filter(bank_id=bank_id, id__in=list(ids), until__isnull=False)
    declared = list(edges.filter(declared=True))
    for edge in declared:
        kept = _kept(edge, "rel")
        kept.save(force_insert=True)
        Assertion.objects.filter(
            bank_id=bank_id, relationship_id=edge.id, until__lte=edge.until
        ).update(relationship_id=kept.id)
    Relationship.objects.filter(bank_id=bank_id, id__in=[edge.id for edge in declared]).update(
        since=since, until=None
    )
    edges.update(until=None)


def _kept(row: Any, prefix: str) -> Any:
    copy = copy_row(row, prefix, row.since)
    copy.until = row.until
    return copy
