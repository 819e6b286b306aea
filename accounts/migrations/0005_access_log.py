"""The access log is append-only by privilege, and a rotated key can only name its own organization's."""

from django.conf import settings
from django.db import migrations

APP = settings.DATABASES["default"]["USER"]
CONTEXT = "(SELECT nullif(current_setting('app.organization', true), '')::uuid)"

APPEND_ONLY = f"""
ALTER TABLE access_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE access_events FORCE ROW LEVEL SECURITY;
CREATE POLICY organization ON access_events USING (organization_id = {CONTEXT});
REVOKE ALL ON access_events FROM {APP};
GRANT SELECT, INSERT ON access_events TO {APP};
"""

ROTATION = """
ALTER TABLE api_keys ADD CONSTRAINT api_keys_rotated_fk
  FOREIGN KEY (organization_id, rotated_to_id) REFERENCES api_keys (organization_id, id)
  ON DELETE SET NULL (rotated_to_id);
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_access_events")]
    operations = [
        migrations.RunSQL(APPEND_ONLY, migrations.RunSQL.noop),
        migrations.RunSQL(ROTATION, migrations.RunSQL.noop),
    ]
