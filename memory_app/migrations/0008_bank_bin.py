"""Banks in the bin. The rounds of upkeep leave out those that were purged."""

from django.conf import settings
from django.db import migrations, models

LOOKUP = settings.LOOKUP_ROLE

EVERY_BANK = f"""
GRANT CREATE ON SCHEMA public TO {LOOKUP};
CREATE OR REPLACE FUNCTION every_bank() RETURNS TABLE (organization_id uuid, bank_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT organization_id, id FROM public.banks WHERE purged_at IS NULL $$;
REVOKE CREATE ON SCHEMA public FROM {LOOKUP};
"""


class Migration(migrations.Migration):
    dependencies = [("memory_app", "0007_curation"), ("accounts", "0007_people")]
    operations = [
        migrations.AddField("bank", "deleted_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("bank", "purged_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunSQL(EVERY_BANK, migrations.RunSQL.noop),
    ]
