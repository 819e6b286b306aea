"""What stood at a watermark, as SQL and as a condition of the ORM: one meaning for every reader."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, Func, OuterRef, Q, Value
from django.db.models.lookups import Exact

from memory_app.models import Assertion

# How many edges of gaps lie at or before the watermark: odd inside of a gap.
_PRESENT = "mod(width_bucket({at}::bigint, {alias}.absent), 2) = 0"


def stood(alias: str, *, at: str = "at") -> str:
    """The condition that a mention, relationship or assertion stood; `at` names the parameter."""
    return f"({alias}.since <= %({at})s AND ({alias}.until IS NULL OR {alias}.until > %({at})s))"


def entity_stood(alias: str, *, at: str = "at") -> str:
    """The same for an entity, which may have been away for a while."""
    return f"({stood(alias, at=at)} AND {_PRESENT.format(alias=alias, at=f'%({at})s')})"


def dated(statement: str, *, at: str = "at") -> str:
    """The statement with `{n}` made the condition that the row `n` stood; `{e}` is an entity's."""
    rows = {alias: stood(alias, at=at) for alias in "acnrz"}
    return statement.format(e=entity_stood("e", at=at), **rows)


# An edge stood at a watermark when it was declared by then, or when a memory backed it then.
THEN = dated("""(
  (r.declared AND {r})
  OR EXISTS (SELECT 1 FROM assertions a
             WHERE a.bank_id = %(bank)s AND a.relationship_id = r.id AND {a}))""")


def stood_then(watermark: int) -> Q:
    """`stood` for the ORM."""
    return Q(since__lte=watermark) & (Q(until=None) | Q(until__gt=watermark))


def entity_stood_then(watermark: int) -> Q:
    """`entity_stood` for the ORM."""
    edges = Func(
        Value(watermark, output_field=models.BigIntegerField()),
        F("absent"),
        template="mod(width_bucket(%(expressions)s), 2)",
        output_field=models.IntegerField(),
    )
    return stood_then(watermark) & Q(Exact(edges, 0))


def edge_stood_then(watermark: int) -> Q:
    """A relationship stood when it was declared by then, or when a memory backed it then."""
    backing = Assertion.objects.filter(
        stood_then(watermark), bank_id=OuterRef("bank_id"), relationship_id=OuterRef("id")
    )
    return (Q(declared=True) & stood_then(watermark)) | Q(Exists(backing))
