"""Agents' names are unique; an organization may ask for a second factor, and to be deleted."""

from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Lower

APP = settings.DATABASES["default"]["USER"]
LOOKUP = settings.LOOKUP_ROLE

# Row security holds for the owner too, and here every organization is meant.
NAMES = """
ALTER TABLE agents NO FORCE ROW LEVEL SECURITY;
UPDATE agents SET name = left(name, 100) || ' (' || slug || ')'
WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY organization_id, lower(name) ORDER BY id) AS place
    FROM agents) numbered
  WHERE place > 1);
ALTER TABLE agents FORCE ROW LEVEL SECURITY;
"""

STANDING = f"""
GRANT CREATE ON SCHEMA public TO {LOOKUP};
DROP FUNCTION memberships_of(uuid);
CREATE FUNCTION memberships_of(person uuid) RETURNS TABLE (
  organization_id uuid, name text, slug text, role text, requires_mfa boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT o.id, o.name, o.slug, m.role, o.requires_mfa
  FROM public.memberships m JOIN public.organizations o ON o.id = m.organization_id
  WHERE m.user_id = person ORDER BY o.name, o.id $$;
ALTER FUNCTION memberships_of(uuid) OWNER TO {LOOKUP};
REVOKE CREATE ON SCHEMA public FROM {LOOKUP};
REVOKE ALL ON FUNCTION memberships_of(uuid) FROM public;
GRANT EXECUTE ON FUNCTION memberships_of(uuid) TO {APP};
"""


# Without a row there, changing an address would lose the one that the person has.
ADDRESSES = """
INSERT INTO account_emailaddress (user_id, email, verified, "primary")
SELECT id, email, true, true FROM users u
WHERE email <> '' AND NOT EXISTS (SELECT 1 FROM account_emailaddress a WHERE a.user_id = u.id)
ON CONFLICT DO NOTHING;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_no_cascade_into_books"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("usersessions", "0001_initial"),
    ]
    operations = [
        migrations.RunSQL(ADDRESSES, migrations.RunSQL.noop),
        migrations.AddField("organization", "requires_mfa", models.BooleanField(default=False)),
        migrations.AddField(
            "organization", "deletion_requested_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.RunSQL(NAMES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "agent",
            models.UniqueConstraint("organization", Lower("name"), name="agents_name"),
        ),
        migrations.RunSQL(STANDING, migrations.RunSQL.noop),
    ]
