"""Statements that a connection keeps planned."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, ProgrammingError, connection

from accounts.questions import Question
from accounts.tenancy import ask
from tests.factories import World


def kept_names() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements")
        return {row[0] for row in cursor.fetchall()}


def question(sql: str, **values: Any) -> Question:
    return Question(sql=sql, values=values, repeats=True)


def test_a_statement_that_repeats_is_planned_once_and_answers_each_time(world: World) -> None:
    sql = "SELECT %(first)s::int + %(second)s::int"

    sums = [ask(world.person, question(sql, first=1, second=n))[0] for n in range(3)]
    first = kept_names()
    renamed = question(sql.replace("first", "one"), one=20, second=2)

    assert sums == [[(1,)], [(2,)], [(3,)]]
    assert ask(world.person, renamed)[0] == [(22,)]
    assert kept_names() == first


def test_without_kept_plans_the_answers_are_the_same(world: World, settings: Any) -> None:
    settings.DATABASE_PREPARED = False
    before = kept_names()

    answer = ask(world.person, question("SELECT %(n)s::int * 3", n=4))

    assert answer == [[(12,)]]
    assert kept_names() == before


def test_what_the_database_refuses_has_djangos_name_for_it(world: World) -> None:
    with pytest.raises(ProgrammingError):
        ask(world.person, question("SELECT nonsense FROM nowhere WHERE bank_id = %(n)s", n=1))


def test_a_connection_that_ended_while_preparing_has_djangos_name_for_it(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.connection.close()

    with pytest.raises(OperationalError):
        ask(world.person, question("SELECT %(n)s::int - 1", n=4))
    connection.close()
