"""The one place that opens a transaction, and with it says for whom.

Row-level security compares every row with the setting made here. `SET LOCAL` ends with the
transaction, so a pooled connection carries nothing over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from accounts.actor import Actor
from accounts.prepared import texts
from accounts.questions import Question, Row
from memory_app.domain.ids import to_uuid

_SET = (
    "SELECT set_config('app.organization', %(_organization)s, true), "
    "set_config('app.actor', %(_actor)s, true), set_config('app.request', %(_request)s, true)"
)
_RELAXED = ", set_config('synchronous_commit', 'off', true)"
_BEGIN = "BEGIN"
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"


@contextmanager
def acting_as(
    actor: Actor, *questions: Question, relaxed: bool = False, snapshot: bool = False
) -> Iterator[list[list[Row]]]:
    """One transaction in the actor's organization; everything inside commits or rolls back
    together.

    `questions` travel with the setting, in one message, each under a snapshot of its own; their rows
    are what is handed over. `relaxed` answers before the disk has the commit: for read logs, of
    which a power cut may cost the last half second. `snapshot` only reads, and sees one moment
    however long it takes. Raises `RuntimeError` when a transaction is already open: releasing a
    savepoint would keep the inner organization, so contexts never nest. Costs one round trip.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            # Else psycopg sends a BEGIN of its own before the message, which costs a round trip.
            connection.connection.autocommit = True
            begin = Question(sql=_SNAPSHOT if snapshot else _BEGIN, values={})
            answers = _asked(cursor, actor, questions, relaxed=relaxed, first=(begin,))
        yield answers


def ask(actor: Actor, *questions: Question) -> list[list[Row]]:
    """The rows of each question, asked in a relaxed transaction of its own.

    All statements travel in one message, so it costs one round trip instead of four; PostgreSQL
    makes a transaction of such a message. Raises `RuntimeError` inside an open transaction.
    """
    if connection.in_atomic_block:
        raise RuntimeError("ask() must not run inside a transaction")
    with connection.cursor() as cursor:
        return _asked(cursor, actor, questions, relaxed=True)


def ask_inside(*questions: Question) -> list[list[Row]]:
    """The rows of each question, asked in the open transaction: one message for all of them."""
    with connection.cursor() as cursor:
        return _answers(cursor, questions)


def _asked(
    cursor: CursorWrapper,
    actor: Actor,
    questions: Sequence[Question],
    *,
    relaxed: bool,
    first: Sequence[Question] = (),
) -> list[list[Row]]:
    setting = Question(
        sql=_SET + _RELAXED if relaxed else _SET,
        values={
            "_organization": str(to_uuid("org", actor.organization_id)),
            "_actor": actor.id,
            "_request": actor.request_id,
        },
        repeats=True,
    )
    return _answers(cursor, [*first, setting, *questions])[len(first) + 1 :]


def _answers(cursor: CursorWrapper, questions: Sequence[Question]) -> list[list[Row]]:
    values: dict[str, Any] = {}
    for question in questions:
        values.update(question.values)
    cursor.execute(";\n".join(texts(cursor, questions)), values)
    # All results have come with the message, so the driver's own cursor can't fail any more, and it
    # is read without Django's wrapper around each call. Its `description` would make an object of
    # every column.
    plain = cursor.cursor
    answers = []
    for number in range(len(questions)):
        if number:
            plain.nextset()
        answers.append([] if plain.rownumber is None else plain.fetchall())
    return answers
