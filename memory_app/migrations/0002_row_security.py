"""Composite foreign keys, row-level security, the ledger's append-only grant, planner statistics."""

from django.conf import settings
from django.db import migrations

APP = settings.DATABASES["default"]["USER"]
LOOKUP = settings.LOOKUP_ROLE
CONTEXT = "(SELECT nullif(current_setting('app.organization', true), '')::uuid)"

BELOW_ORGANIZATION = ["banks", "bank_slugs", "daily_usage", "rate_windows", "idempotency_keys"]
BELOW_BANK = [
    "bank_terms",
    "memories",
    "memory_versions",
    "cells",
    "links",
    "ledger_entries",
    "ledger_contents",
    "recalls",
    "proposals",
    "import_jobs",
    "import_lines",
    "jobs",
]

# Without the first half a row could be hung on another organization's bank: foreign-key checks ignore
# row security.
BANK_KEYS = "".join(
    f"""
ALTER TABLE {table} ADD CONSTRAINT {table}_bank_fk
  FOREIGN KEY (organization_id, bank_id) REFERENCES banks (organization_id, id) ON DELETE CASCADE;
"""
    for table in [*BELOW_BANK, "bank_slugs"]
)

OTHER_KEYS = """
ALTER TABLE memory_versions ADD CONSTRAINT memory_versions_memory_fk
  FOREIGN KEY (bank_id, memory_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE cells ADD CONSTRAINT cells_memory_fk
  FOREIGN KEY (bank_id, memory_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE links ADD CONSTRAINT links_source_fk
  FOREIGN KEY (bank_id, source_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE links ADD CONSTRAINT links_target_fk
  FOREIGN KEY (bank_id, target_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE proposals ADD CONSTRAINT proposals_old_fk
  FOREIGN KEY (bank_id, old_memory_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE proposals ADD CONSTRAINT proposals_new_fk
  FOREIGN KEY (bank_id, new_memory_id) REFERENCES memories (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE import_lines ADD CONSTRAINT import_lines_job_fk
  FOREIGN KEY (bank_id, import_id) REFERENCES import_jobs (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
"""

POLICIES = "".join(
    f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY organization ON {table} USING (organization_id = {CONTEXT});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP};
"""
    for table in BELOW_ORGANIZATION + BELOW_BANK
)

APPEND_ONLY = f"""
REVOKE ALL ON ledger_entries, ledger_contents FROM {APP};
GRANT SELECT, INSERT ON ledger_entries, ledger_contents TO {APP};
"""

# The planner must know that bank and organization say the same, or joins take nested loops.
STATISTICS = """
CREATE STATISTICS cells_dependencies (dependencies) ON bank_id, organization_id FROM cells;
CREATE STATISTICS memories_dependencies (dependencies) ON bank_id, organization_id FROM memories;
ALTER TABLE cells SET (autovacuum_vacuum_insert_scale_factor = 0.02,
                       autovacuum_vacuum_scale_factor = 0.05);
"""

# Sweeps run over every bank; nothing but the two ids leaves the function.
FUNCTIONS = f"""
CREATE POLICY lookup ON banks FOR SELECT TO {LOOKUP} USING (true);
GRANT SELECT ON banks TO {LOOKUP};
GRANT CREATE ON SCHEMA public TO {LOOKUP};
CREATE FUNCTION every_bank() RETURNS TABLE (organization_id uuid, bank_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT organization_id, id FROM public.banks $$;
ALTER FUNCTION every_bank() OWNER TO {LOOKUP};
REVOKE CREATE ON SCHEMA public FROM {LOOKUP};
REVOKE ALL ON FUNCTION every_bank() FROM public;
GRANT EXECUTE ON FUNCTION every_bank() TO {APP};
"""


class Migration(migrations.Migration):
    dependencies = [("memory_app", "0001_initial"), ("accounts", "0003_row_security")]
    operations = [
        migrations.RunSQL(BANK_KEYS, migrations.RunSQL.noop),
        migrations.RunSQL(OTHER_KEYS, migrations.RunSQL.noop),
        migrations.RunSQL(POLICIES, migrations.RunSQL.noop),
        migrations.RunSQL(APPEND_ONLY, migrations.RunSQL.noop),
        migrations.RunSQL(STATISTICS, migrations.RunSQL.noop),
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
    ]
