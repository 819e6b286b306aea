from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Lower

# Row security holds for the owner too, and here every organization is meant.
NAMES = """
ALTER TABLE saved_views NO FORCE ROW LEVEL SECURITY;
UPDATE saved_views v SET name = left(v.name, 70) || ' (' || numbered.place || ')'
FROM (
  SELECT bank_id, id, row_number() OVER (
    PARTITION BY bank_id, created_by, lower(name) ORDER BY id) AS place
  FROM saved_views WHERE deleted_at IS NULL) numbered
WHERE numbered.bank_id = v.bank_id AND numbered.id = v.id AND numbered.place > 1;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    """The list of memories in every order and by tag from indexes; names of views are unique."""

    dependencies = [("accounts", "0007_people"), ("memory_app", "0012_imported_memories")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["bank", "organization", "updated_at", "id"],
                include=(
                    "created_at",
                    "recall_count",
                    "pinned_at",
                    "retired_at",
                    "deleted_at",
                    "indexed_at",
                    "author",
                    "category",
                    "collection",
                    "source",
                ),
                name="memories_listed",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=GinIndex(
                fields=["bank", "tags", "author", "category", "collection", "source"],
                name="memories_filtered",
            ),
        ),
        migrations.RunSQL(NAMES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                "bank",
                "created_by",
                Lower("name"),
                condition=Q(deleted_at=None),
                name="views_once_named",
            ),
        ),
    ]
