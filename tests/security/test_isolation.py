"""Row security refuses on its own, whatever a query forgets."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection

from accounts.models import Agent, ApiKey, Connection
from accounts.questions import Question
from accounts.services.api_keys import issue_key
from accounts.tenancy import acting_as, ask
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Bank, BankSlug, LedgerEntry, Memory
from memory_app.services.banks import update_bank
from tests.factories import World
from tests.security.catalogue import rows, tenant_tables


def counts() -> dict[str, int]:
    return {name: rows(f'SELECT count(*) FROM "{name}"')[0][0] for name in sorted(tenant_tables())}


def filled(world: World) -> None:
    issue_key(world.person, agent=world.agent.id)
    update_bank(world.person, "main", history_days=9)


def memory_of(world: World, bank: Bank, organization_id: str) -> Memory:
    return Memory(
        id=new_id("mem"),
        bank_id=bank.id,
        organization_id=organization_id,
        slug=new_id("mem").lower(),
        content="Placed where it doesn't belong.",
        author=world.caller.id,
        content_hash="0x",
        created_watermark=1,
        head_watermark=1,
    )


def test_without_a_context_every_table_is_empty(world: World) -> None:
    filled(world)

    assert set(counts().values()) == {0}


def test_a_reused_connection_carries_nothing_over(world: World) -> None:
    filled(world)
    process = rows("SELECT pg_backend_pid()")

    with acting_as(world.person):
        inside = counts()

    assert inside["agents"] == 1
    assert inside["ledger_entries"] == 1
    assert set(counts().values()) == {0}
    assert rows("SELECT pg_backend_pid()") == process


def test_a_rolled_back_context_carries_nothing_over(world: World) -> None:
    def fail() -> None:
        with acting_as(world.person):
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert set(counts().values()) == {0}


def test_a_statement_that_runs_alone_carries_nothing_over(world: World) -> None:
    coder = Question(sql="SELECT name FROM agents WHERE slug = %(slug)s", values={"slug": "coder"})
    everyone = Question(sql="SELECT DISTINCT organization_id::text FROM agents", values={})

    answers = ask(world.person, coder, everyone)

    assert answers == [[("Coder",)], [(str(to_uuid("org", world.organization.id)),)]]
    assert rows("SELECT current_setting('app.organization', true)") == [("",)]
    assert rows("SHOW synchronous_commit") == rows(
        "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'"
    )
    assert set(counts().values()) == {0}


def test_a_statement_that_runs_alone_runs_in_no_transaction(world: World, stranger: World) -> None:
    with acting_as(world.person), pytest.raises(RuntimeError):
        ask(stranger.person, Question(sql="SELECT 1", values={}))


def test_contexts_do_not_nest(world: World, stranger: World) -> None:
    with acting_as(world.person):
        with pytest.raises(RuntimeError), acting_as(stranger.person):
            pass
        assert Bank.objects.get().id == world.bank.id


def test_a_context_shows_one_organization_even_to_a_query_without_a_filter(
    world: World, stranger: World
) -> None:
    filled(world)
    filled(stranger)

    with acting_as(world.person):
        seen = {
            name: rows(f'SELECT DISTINCT organization_id FROM "{name}"')
            for name in sorted(tenant_tables() - {"organizations"})
        }
        organizations = rows("SELECT id FROM organizations")

    mine = to_uuid("org", world.organization.id)
    assert organizations == [(mine,)]
    assert {value for found in seen.values() for value in found} == {(mine,)}


def test_a_memory_cannot_be_hung_on_anothers_bank(world: World, stranger: World) -> None:
    """Foreign-key checks ignore row security: the key itself holds the organization."""
    placed = memory_of(world, stranger.bank, world.organization.id)

    with pytest.raises(IntegrityError, match="memories_bank_fk"), acting_as(world.person):
        placed.save(force_insert=True)


def test_a_row_cannot_be_made_for_another_organization(world: World, stranger: World) -> None:
    placed = memory_of(world, stranger.bank, stranger.organization.id)

    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(world.person):
        placed.save(force_insert=True)


def test_a_row_cannot_be_moved_to_another_organization(world: World, stranger: World) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(world.person):
        Agent.objects.update(organization_id=stranger.organization.id)


def test_a_connection_cannot_join_two_organizations(world: World, stranger: World) -> None:
    for agent, bank in ((world.agent, stranger.bank), (stranger.agent, world.bank)):
        with pytest.raises(IntegrityError, match="connections_"), acting_as(world.person):
            Connection.objects.create(
                organization_id=world.organization.id, agent_id=agent.id, bank_id=bank.id
            )


def test_a_key_cannot_be_made_for_anothers_agent(world: World, stranger: World) -> None:
    with pytest.raises(IntegrityError, match="api_keys_agent_fk"), acting_as(world.person):
        ApiKey.objects.create(
            organization_id=world.organization.id,
            agent_id=stranger.agent.id,
            digest=new_id("key"),
            preview="cpl_0000",
            created_by=world.person.id,
        )


def test_a_key_cannot_be_rotated_to_anothers(world: World, stranger: World) -> None:
    mine = issue_key(world.person, agent=world.agent.id).key
    theirs = issue_key(stranger.person, agent=stranger.agent.id).key

    with pytest.raises(IntegrityError, match="api_keys_rotated_fk"), acting_as(world.person):
        ApiKey.objects.filter(id=mine.id).update(rotated_to_id=theirs.id)


def test_a_slug_cannot_name_anothers_bank(world: World, stranger: World) -> None:
    with pytest.raises(IntegrityError, match="bank_slugs_bank_fk"), acting_as(world.person):
        BankSlug.objects.create(
            organization_id=world.organization.id, slug="theirs", bank_id=stranger.bank.id
        )


def test_anothers_rows_can_be_neither_changed_nor_deleted(world: World, stranger: World) -> None:
    with acting_as(world.person):
        changed = Agent.objects.filter(id=stranger.agent.id).update(name="Taken")
        deleted, _ = Connection.objects.filter(id=stranger.connection.id).delete()

    assert (changed, deleted) == (0, 0)


@pytest.mark.parametrize("table", ["ledger_entries", "ledger_contents", "access_events"])
@pytest.mark.parametrize(
    "statement",
    ["UPDATE {} SET organization_id = organization_id", "DELETE FROM {}", "TRUNCATE {}"],
)
def test_the_books_can_be_neither_changed_nor_emptied(
    world: World, table: str, statement: str
) -> None:
    filled(world)

    with pytest.raises(ProgrammingError, match="permission denied"), acting_as(world.person):
        execute(statement.format(table))
    with acting_as(world.person):
        assert LedgerEntry.objects.filter(bank_id=world.bank.id).count() == 1


@pytest.mark.parametrize("table", ["banks", "organizations"])
def test_the_books_cannot_be_emptied_by_a_cascade(world: World, table: str) -> None:
    filled(world)

    with pytest.raises(ProgrammingError, match="permission denied"), acting_as(world.person):
        execute(f"DELETE FROM {table}")
    with acting_as(world.person):
        assert LedgerEntry.objects.filter(bank_id=world.bank.id).count() == 1


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE commonplace_owner",
        "SET ROLE commonplace_lookup",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY organization ON memories",
        "CREATE TABLE leak (id int)",
        "COPY (SELECT 1) TO PROGRAM 'true'",
    ],
)
def test_the_application_cannot_lift_its_own_limits(world: World, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=r"denied|must be owner"), acting_as(world.person):
        execute(statement)


def test_a_setting_that_is_no_id_opens_nothing(world: World) -> None:
    with pytest.raises(Exception, match="invalid input syntax for type uuid"):
        execute("SET app.organization = 'everything'; SELECT count(*) FROM agents")
    connection.close()

    assert counts()["agents"] == 0


def execute(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
