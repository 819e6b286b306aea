"""Statements that a connection keeps planned.

Several statements travel in one message of the simple protocol, which PostgreSQL parses and plans
anew each time; for short ones that costs more than running them. `PREPARE` and `EXECUTE` are plain
statements and fit into such a message. What is prepared belongs to the session, not to the
transaction: it outlives a rollback.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from accounts.questions import Question

# A connection keeps so many plans, some 50 kB each; what comes later is planned each time.
MOST = 60

_VALUE = re.compile(r"%\((\w+)\)s")
_kept: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    name: str
    preparation: str
    execution: str


def texts(cursor: CursorWrapper, questions: Iterable[Question]) -> list[str]:
    """The SQL to send for each question; those that repeat are prepared first, a message each.

    With `DATABASE_PREPARED` off, as behind a pooler that shares sessions, they stay as they are.
    """
    if not settings.DATABASE_PREPARED:
        return [question.sql for question in questions]
    kept = _kept.setdefault(cursor.connection, set())
    return [_text(cursor, kept, question) for question in questions]


def _text(cursor: CursorWrapper, kept: set[str], question: Question) -> str:
    if not question.repeats:
        return question.sql
    statement = _statement(question.sql)
    if statement.name not in kept:
        if len(kept) >= MOST:
            return question.sql
        # Past Django's counting, though not past its names for what the database refuses.
        with cursor.db.wrap_database_errors, cursor.connection.cursor() as plain:
            plain.execute(statement.preparation)
        kept.add(statement.name)
    return statement.execution


@lru_cache(maxsize=512)
def _statement(sql: str) -> _Statement:
    names = list(dict.fromkeys(_VALUE.findall(sql)))
    body = _VALUE.sub(lambda found: f"${names.index(found[1]) + 1}", sql).replace("%%", "%")
    # Of the body, so that one statement under other names of its values is prepared once.
    name = f"q_{hashlib.blake2b(body.encode(), digest_size=8).hexdigest()}"
    values = ", ".join(f"%({value})s" for value in names)
    return _Statement(
        name=name,
        preparation=f"PREPARE {name} AS {body.strip()}",
        execution=f"EXECUTE {name}({values})" if names else f"EXECUTE {name}",
    )
