"""The schema holds tenancy by itself, read from the database's own catalogue."""

from __future__ import annotations

from django.conf import settings

from tests.security.catalogue import (
    APPEND_ONLY,
    BESIDE_BANKS,
    GLOBAL_TABLES,
    foreign_keys,
    rows,
    tables,
    tables_below_bank,
    tenant_tables,
    unique_keys,
)

APP = settings.DATABASES["default"]["USER"]
OWNER = settings.DATABASES["owner"]["USER"]
LOOKUP = settings.LOOKUP_ROLE


def test_every_table_is_an_organizations_or_known_to_be_nobodys() -> None:
    assert tables() - tenant_tables() <= GLOBAL_TABLES


def test_every_table_of_an_organization_has_forced_row_security() -> None:
    secured = rows(
        "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity "
        "AND relnamespace = 'public'::regnamespace"
    )

    assert {name for (name,) in secured} == tenant_tables()


def test_every_policy_for_the_application_compares_with_the_transactions_organization() -> None:
    policies = rows(
        "SELECT tablename, cmd, permissive, qual, with_check FROM pg_policies "
        "WHERE schemaname = 'public' AND NOT roles = %s::name[]",
        [LOOKUP],
    )
    compared = "( SELECT (NULLIF(current_setting('app.organization'::text, true), ''::text))::uuid"

    assert {policy[0] for policy in policies} == tenant_tables()
    assert len(policies) == len(tenant_tables())
    assert [policy for policy in policies if policy[1:3] != ("ALL", "PERMISSIVE")] == []
    assert [policy for policy in policies if compared not in policy[3]] == []
    assert [policy for policy in policies if policy[4] is not None] == []


def test_policies_of_the_lookup_role_read_only() -> None:
    commands = rows("SELECT DISTINCT cmd FROM pg_policies WHERE roles = %s::name[]", [LOOKUP])

    assert commands == [("SELECT",)]


def test_the_applications_role_owns_nothing_and_bypasses_nothing() -> None:
    role = rows(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles "
        "WHERE rolname = %s",
        APP,
    )
    owned = rows(
        "SELECT count(*) FROM pg_shdepend WHERE deptype = 'o' AND refobjid = %s::regrole", APP
    )
    borrowed = rows(
        "SELECT rolname FROM pg_roles WHERE rolname <> %s AND pg_has_role(%s, oid, 'MEMBER')",
        APP,
        APP,
    )

    assert role == [(False, False, False, False)]
    assert owned == [(0,)]
    assert borrowed == []


def test_owner_and_lookup_role_are_bound_by_row_security_too() -> None:
    found = rows(
        "SELECT rolname, rolsuper, rolbypassrls, rolcanlogin FROM pg_roles "
        "WHERE rolname IN (%s, %s) ORDER BY rolcanlogin",
        OWNER,
        LOOKUP,
    )

    assert found == [(LOOKUP, False, False, False), (OWNER, False, False, True)]


def test_append_only_tables_can_be_neither_changed_nor_emptied() -> None:
    allowed = rows(
        "SELECT t, p FROM unnest(%s::text[]) t CROSS JOIN "
        "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', "
        "'TRIGGER']) p WHERE has_table_privilege(%s, t, p)",
        sorted(APPEND_ONLY),
        APP,
    )
    columns = rows(
        "SELECT t FROM unnest(%s::text[]) t WHERE has_any_column_privilege(%s, t, 'UPDATE')",
        sorted(APPEND_ONLY),
        APP,
    )

    assert set(allowed) == {(t, p) for t in APPEND_ONLY for p in ("SELECT", "INSERT")}
    assert columns == []


def test_no_deletion_cascades_into_an_append_only_table() -> None:
    """A cascade runs with the owner's rights: what it starts from must be out of reach."""
    sources = rows(
        "SELECT DISTINCT f.relname FROM pg_constraint c "
        "JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid "
        "WHERE c.contype = 'f' AND (c.confdeltype <> 'a' OR c.confupdtype <> 'a') "
        "AND t.relname = ANY (%s)",
        sorted(APPEND_ONLY),
    )
    deletable = rows(
        "SELECT relname FROM pg_class WHERE relname = ANY (%s) "
        "AND has_table_privilege(%s, oid, 'DELETE')",
        [name for (name,) in sources],
        APP,
    )

    assert {name for (name,) in sources} == {"banks"}
    assert deletable == []


def test_no_table_can_be_truncated_or_given_a_trigger_by_the_application() -> None:
    allowed = rows(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "AND relkind IN ('r', 'p') AND (has_table_privilege(%s, oid, 'TRUNCATE') "
        "OR has_table_privilege(%s, oid, 'TRIGGER'))",
        APP,
        APP,
    )

    assert allowed == []


def test_the_application_creates_nothing_in_the_schema() -> None:
    assert rows("SELECT has_schema_privilege(%s, 'public', 'CREATE')", APP) == [(False,)]


def test_every_unique_key_below_the_bank_contains_the_bank() -> None:
    below = [key for key in unique_keys() if key.table in tables_below_bank()]

    assert {key.table for key in below} == tables_below_bank()
    assert [key for key in below if "bank_id" not in key.columns] == []


def test_every_foreign_key_below_the_bank_contains_the_bank() -> None:
    below = [key for key in foreign_keys() if key.table in tables_below_bank()]

    assert [key for key in below if "bank_id" not in key.columns] == []


def test_every_row_that_names_a_bank_is_tied_to_the_banks_organization() -> None:
    tied = {
        key.table
        for key in foreign_keys()
        if key.target == "banks" and key.columns == ("organization_id", "bank_id")
    }

    assert tied == tables_below_bank() | BESIDE_BANKS


def test_no_row_of_an_organization_can_name_anothers_row() -> None:
    """Foreign-key checks ignore row security, so each needs the organization or the bank in it."""
    between = [
        key
        for key in foreign_keys()
        if key.table in tenant_tables()
        and key.target in tenant_tables() - {"organizations"}
        and not {"organization_id", "bank_id"} & set(key.columns[:1])
    ]
    held = {(key.table, key.columns[-1]) for key in foreign_keys() if len(key.columns) > 1}

    assert [key for key in between if (key.table, key.columns[-1]) not in held] == []


def test_no_unique_key_of_an_organizations_table_can_be_guessed_from_outside() -> None:
    """A unique check runs before row security: a guessable key alone would tell what exists."""
    unguessable = {"id", "digest", "token_digest", "agent_id", "key_id"}
    bare = [
        key
        for key in unique_keys()
        if key.table in tenant_tables()
        and not {"organization_id", "bank_id"} & set(key.columns)
        and not unguessable & set(key.columns)
    ]

    assert [(key.table, key.columns) for key in bare] == [("organizations", ("slug",))]


def test_ids_come_from_no_sequence() -> None:
    sequences = rows(
        "SELECT t.relname FROM pg_class s JOIN pg_depend d ON d.objid = s.oid "
        "JOIN pg_class t ON t.oid = d.refobjid "
        "WHERE s.relkind = 'S' AND d.deptype IN ('a', 'i') "
        "AND s.relnamespace = 'public'::regnamespace"
    )

    assert {name for (name,) in sequences} & tenant_tables() == set()


def test_there_are_no_triggers() -> None:
    assert rows("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal") == []


def test_functions_that_see_more_are_few_and_closed() -> None:
    functions = rows(
        "SELECT p.proname, pg_get_userbyid(p.proowner), "
        "p.proconfig @> ARRAY['search_path=pg_catalog, public'], "
        "EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0) "
        "FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace "
        "ORDER BY 1"
    )

    assert functions == [
        (name, LOOKUP, True, False)
        for name in (
            "every_bank",
            "find_api_key",
            "find_invitation",
            "find_organization",
            "memberships_of",
        )
    ]
