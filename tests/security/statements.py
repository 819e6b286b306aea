"""Reads SQL statements: does each reference to a table below the bank have a predicate on the bank?

On a schema that is distributed by bank a statement without one would go to every node; on this one
it could only be a forgotten filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from accounts import tenancy
from accounts.prepared import texts
from accounts.questions import Question
from memory_app.models.below import BelowBank

# Tests that break in on purpose set this.
exempt = False

_NAME = r'"?(\w+)"?'
_REFERENCE = re.compile(
    rf"\b(?:FROM|JOIN|UPDATE|USING)\s+(?:ONLY\s+)?{_NAME}(?:\s+(?:AS\s+)?{_NAME})?", re.IGNORECASE
)
_LISTED = re.compile(rf",\s*{_NAME}\s+(?:AS\s+)?{_NAME}\s*(?=,|WHERE|\n|$)", re.IGNORECASE)
_INSERT = re.compile(rf"\bINSERT\s+INTO\s+{_NAME}[^(]*\(([^)]*)\)", re.IGNORECASE)
_KEYWORDS = {
    *("where", "set", "join", "inner", "left", "on", "order", "group", "limit", "for", "using"),
    *("cross", "lateral", "union", "values", "select", "as", "natural", "right", "full", "window"),
    *("returning", "having", "offset", "fetch", "tablesample", "and", "or"),
}


@lru_cache(maxsize=1)
def tables_below_bank() -> frozenset[str]:
    models = [*apps.get_models(), apps.get_model("memory_app", "BankTerm")]
    below = {model._meta.db_table for model in models if issubclass(model, BelowBank)}
    return frozenset(below | {"bank_terms"})


@lru_cache(maxsize=4096)
def faults(sql: str) -> tuple[str, ...]:
    """What is wrong with the statement, a line for each table; nothing for one that is right."""
    text = re.sub(r"--[^\n]*", "", sql)
    inserted = [
        f"{table}: inserted without bank_id"
        for table, columns in _INSERT.findall(text)
        if table in tables_below_bank() and "bank_id" not in columns
    ]
    referred = [
        f"{table}: no predicate on bank_id"
        for table, alias in _references(text)
        if not _held(text, alias)
    ]
    return tuple(inserted + referred)


def read_all() -> None:
    """From now on a faulty statement of the application's role fails, while nothing is exempt.

    All threads of this process are covered: the reader is put on each connection as it is made.
    """

    def read(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found = () if exempt or not isinstance(sql, str) else faults(sql)
        assert not found, f"{found}\n{sql}"
        return execute(sql, params, many, context)

    def put_on(connection: BaseDatabaseWrapper, **signal: Any) -> None:
        # Signalled at each reconnection too: put on again, it would nest deeper every time.
        if connection.alias == "default" and read not in connection.execute_wrappers:
            connection.execute_wrappers.append(read)

    def prepared(cursor: Any, questions: Iterable[Question]) -> list[str]:
        """What is prepared goes past the wrappers; it is read before."""
        asked = list(questions)
        for question in asked:
            found = () if exempt else faults(question.sql)
            assert not found, f"{found}\n{question.sql}"
        return texts(cursor, asked)

    tenancy.texts = prepared
    connection_created.connect(put_on, weak=False)
    connections["default"].close()


def _references(text: str) -> Iterator[tuple[str, str]]:
    for table, alias in [*_REFERENCE.findall(text), *_LISTED.findall(text)]:
        if table in tables_below_bank():
            named = alias if alias and alias.lower() not in _KEYWORDS else table
            yield table, named


def _held(text: str, alias: str) -> bool:
    """`alias.bank_id` (or a bare `bank_id`) compared, on either side, alone or in a row of columns."""
    column = rf'(?:"?{alias}"?\.)"?bank_id"?|(?<![\w."])bank_id(?!\w)'
    compared = rf"(?:{column})\s*(?:\)?\s*=|\)?\s*IN\b|,[^()]*\)\s*(?:=|IN\b))"
    mirrored = rf"=\s*(?:{column})"
    return bool(
        re.search(compared, text, re.IGNORECASE) or re.search(mirrored, text, re.IGNORECASE)
    )
