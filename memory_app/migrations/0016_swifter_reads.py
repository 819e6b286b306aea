"""An index over what reads returned, and what the planner is to think of tables never analyzed."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import F, Func, Value
from django.db.models.functions import Cast

IDS = Func(
    Func(
        Func(
            Cast(
                Func(F("hits"), Value("$[*].id"), function="jsonb_path_query_array"),
                models.TextField(),
            ),
            Value('[]" '),
            Value(""),
            function="translate",
            output_field=models.TextField(),
        ),
        Value(","),
        function="string_to_array",
        output_field=models.TextField(),
    ),
    function="array_to_tsvector",
    output_field=SearchVectorField(),
)

# Without statistics a planner takes every condition for equally narrow: "of this bank" for as good as
# "of this memory", and it reads the bank for each memory. So the first rows of an installation are
# told to be of ten banks in one organization, ids to be ids, and ends (`until`, `..._at`) to be
# rare. The first analysis puts the truth in their place. PostgreSQL 18 can be told; older ones wait
# for their first analysis.
FIRST_STATISTICS = r"""
DO $$
DECLARE
  found record;
BEGIN
  IF current_setting('server_version_num')::int < 180000 THEN
    RETURN;
  END IF;
  FOR found IN
    SELECT n.nspname::text AS schema, c.relname::text AS table, a.attname::text AS column,
      CASE WHEN a.attname = 'organization_id' THEN 1
           WHEN a.attname = 'bank_id' THEN 10
           WHEN a.attname = 'id' THEN -1
           ELSE -0.3 END::real AS distinct_values,
      CASE WHEN a.attnotnull THEN 0
           WHEN a.attname IN ('indexed_at', 'dedupe_key') THEN 0.05
           ELSE 0.95 END::real AS nulls
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.reltuples <= 0
      AND EXISTS (SELECT FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attname = 'bank_id')
      AND (a.atttypid = 'uuid'::regtype
        OR a.attname IN ('until', 'dedupe_key', 'session', 'name_key', 'slug')
        OR (NOT a.attnotnull AND a.attname LIKE '%\_at'))
  LOOP
    EXECUTE 'SELECT pg_restore_attribute_stats(
      ''schemaname'', $1, ''relname'', $2, ''attname'', $3, ''inherited'', false,
      ''null_frac'', $4, ''avg_width'', 16, ''n_distinct'', $5)'
    USING found.schema, found.table, found.column, found.nulls, found.distinct_values;
  END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("memory_app", "0015_graph_from_indexes")]
    operations = [
        migrations.AddField(
            model_name="recall",
            name="served",
            field=models.GeneratedField(
                db_persist=True, expression=IDS, output_field=SearchVectorField()
            ),
        ),
        migrations.AddIndex(
            model_name="recall",
            index=GinIndex(fields=["served"], fastupdate=False, name="recalls_served"),
        ),
        migrations.RunSQL(FIRST_STATISTICS, migrations.RunSQL.noop),
    ]
