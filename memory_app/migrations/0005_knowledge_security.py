"""Composite foreign keys, row-level security and statistics of the knowledge tables."""

from django.conf import settings
from django.db import migrations

APP = settings.DATABASES["default"]["USER"]
CONTEXT = "(SELECT nullif(current_setting('app.organization', true), '')::uuid)"

TABLES = [
    "entities",
    "entity_aliases",
    "entity_probes",
    "mentions",
    "relationships",
    "assertions",
    "recall_saves",
    "pending_documents",
    "files",
    "merge_proposals",
]

BANK_KEYS = "".join(
    f"""
ALTER TABLE {table} ADD CONSTRAINT {table}_bank_fk
  FOREIGN KEY (organization_id, bank_id) REFERENCES banks (organization_id, id) ON DELETE CASCADE;
"""
    for table in TABLES
)

REFERENCES = [
    ("entity_aliases", "entity_id", "entities"),
    ("entity_probes", "entity_id", "entities"),
    ("mentions", "memory_id", "memories"),
    ("mentions", "entity_id", "entities"),
    ("relationships", "source_id", "entities"),
    ("relationships", "target_id", "entities"),
    ("assertions", "memory_id", "memories"),
    ("assertions", "relationship_id", "relationships"),
    ("recall_saves", "memory_id", "memories"),
    ("merge_proposals", "canonical_id", "entities"),
    ("merge_proposals", "variant_id", "entities"),
]

OTHER_KEYS = "".join(
    f"""
ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_fk
  FOREIGN KEY (bank_id, {column}) REFERENCES {target} (bank_id, id) ON DELETE CASCADE
  DEFERRABLE INITIALLY DEFERRED;
"""
    for table, column, target in REFERENCES
)

POLICIES = "".join(
    f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY organization ON {table} USING (organization_id = {CONTEXT});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP};
"""
    for table in TABLES
)

STATISTICS = """
CREATE STATISTICS entities_dependencies (dependencies) ON bank_id, organization_id FROM entities;
CREATE STATISTICS probes_dependencies (dependencies) ON bank_id, organization_id FROM entity_probes;
CREATE STATISTICS relationships_dependencies (dependencies)
  ON bank_id, organization_id FROM relationships;
"""


class Migration(migrations.Migration):
    dependencies = [("memory_app", "0004_knowledge")]
    operations = [
        migrations.RunSQL(BANK_KEYS, migrations.RunSQL.noop),
        migrations.RunSQL(OTHER_KEYS, migrations.RunSQL.noop),
        migrations.RunSQL(POLICIES, migrations.RunSQL.noop),
        migrations.RunSQL(STATISTICS, migrations.RunSQL.noop),
    ]
