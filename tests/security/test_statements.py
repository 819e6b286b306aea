"""The reader of statements tells right from wrong; `tests/conftest.py` lets it read every test's."""

from __future__ import annotations

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Memory
from tests.factories import World
from tests.security import statements
from tests.security.statements import faults, tables_below_bank

RIGHT = [
    'SELECT "memories"."id" FROM "memories" WHERE "memories"."bank_id" = %s',
    'SELECT 1 FROM "memories" WHERE "memories"."bank_id" IN (%s, %s)',
    'SELECT 1 FROM "memories" WHERE ("memories"."bank_id", "memories"."id") IN ((%s, %s))',
    "SELECT c.id FROM cells c WHERE c.bank_id = %s AND c.live",
    "SELECT 1 FROM cells c JOIN memories m ON m.bank_id = c.bank_id WHERE c.bank_id = %s",
    "UPDATE memories SET recall_count = 1 WHERE bank_id = %s",
    'DELETE FROM "links" WHERE "links"."bank_id" = %s',
    'INSERT INTO "cells" ("bank_id", "id") VALUES (%s, %s)',
    "SELECT * FROM banks WHERE id = %s",
    "SELECT every_bank()",
]
WRONG = [
    'SELECT "memories"."id" FROM "memories" WHERE "memories"."id" = %s',
    'SELECT COUNT(*) FROM "memories"',
    'SELECT "memories"."bank_id" FROM "memories" ORDER BY "memories"."bank_id"',
    "SELECT c.id FROM cells c JOIN memories m ON m.id = c.memory_id WHERE c.bank_id = %s",
    "UPDATE memories SET recall_count = 1 WHERE id = %s",
    'DELETE FROM "links" WHERE "links"."source_id" = %s',
    'INSERT INTO "cells" ("id") VALUES (%s)',
    "SELECT 1 FROM banks b, memories m WHERE b.id = %s",
]


@pytest.mark.parametrize("sql", RIGHT)
def test_a_statement_inside_one_bank_is_right(sql: str) -> None:
    assert faults(sql) == ()


@pytest.mark.parametrize("sql", WRONG)
def test_a_statement_across_banks_is_found(sql: str) -> None:
    assert len(faults(sql)) == 1


def test_a_forgotten_bank_fails_the_test_that_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "exempt", False)

    with pytest.raises(AssertionError, match="memories: no predicate"), acting_as(world.person):
        Memory.objects.filter(slug="anything").exists()


def test_every_table_below_the_bank_is_watched() -> None:
    assert {"memories", "cells", "ledger_entries", "recalls", "bank_terms"} <= tables_below_bank()
