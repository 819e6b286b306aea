"""Row-level security on the organization's tables, and what must look before an organization is known.

The application's role owns nothing. The two look-ups by digest, and a person's memberships, go through
functions owned by a NOLOGIN role that has a policy of its own.
"""

from django.conf import settings
from django.db import migrations

APP = settings.DATABASES["default"]["USER"]
LOOKUP = settings.LOOKUP_ROLE
CONTEXT = "(SELECT nullif(current_setting('app.organization', true), '')::uuid)"

TABLES = {
    "organizations": "id",
    "memberships": "organization_id",
    "invitations": "organization_id",
    "agents": "organization_id",
    "connections": "organization_id",
    "api_keys": "organization_id",
}

GRANTS = f"""
GRANT USAGE ON SCHEMA public TO {APP}, {LOOKUP};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APP};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {APP};
"""

POLICIES = "".join(
    f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY organization ON {table} USING ({column} = {CONTEXT});
CREATE POLICY lookup ON {table} FOR SELECT TO {LOOKUP} USING (true);
GRANT SELECT ON {table} TO {LOOKUP};
"""
    for table, column in TABLES.items()
)

KEYS = """
ALTER TABLE connections ADD CONSTRAINT connections_agent_fk
  FOREIGN KEY (organization_id, agent_id) REFERENCES agents (organization_id, id) ON DELETE CASCADE;
ALTER TABLE connections ADD CONSTRAINT connections_bank_fk
  FOREIGN KEY (organization_id, bank_id) REFERENCES banks (organization_id, id) ON DELETE CASCADE;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_agent_fk
  FOREIGN KEY (organization_id, agent_id) REFERENCES agents (organization_id, id) ON DELETE CASCADE;
"""

FUNCTIONS = f"""
GRANT CREATE ON SCHEMA public TO {LOOKUP};

CREATE FUNCTION find_api_key(wanted text) RETURNS TABLE (
  key_id uuid, organization_id uuid, agent_id uuid, agent_name text, agent_paused_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz, requests_per_minute int, last_used_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT k.id, k.organization_id, k.agent_id, a.name, a.paused_at,
         k.expires_at, k.revoked_at, k.requests_per_minute, k.last_used_at
  FROM public.api_keys k JOIN public.agents a ON a.id = k.agent_id
  WHERE k.digest = wanted $$;

CREATE FUNCTION memberships_of(person uuid) RETURNS TABLE (
  organization_id uuid, name text, slug text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT o.id, o.name, o.slug, m.role
  FROM public.memberships m JOIN public.organizations o ON o.id = m.organization_id
  WHERE m.user_id = person ORDER BY o.name, o.id $$;

CREATE FUNCTION find_invitation(wanted text) RETURNS TABLE (
  invitation_id uuid, organization_id uuid, organization_name text, email text, role text,
  expires_at timestamptz, accepted_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT i.id, i.organization_id, o.name, i.email, i.role, i.expires_at, i.accepted_at
  FROM public.invitations i JOIN public.organizations o ON o.id = i.organization_id
  WHERE i.token_digest = wanted $$;

CREATE FUNCTION find_organization(wanted text) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT id FROM public.organizations WHERE slug = wanted $$;

ALTER FUNCTION find_api_key(text) OWNER TO {LOOKUP};
ALTER FUNCTION memberships_of(uuid) OWNER TO {LOOKUP};
ALTER FUNCTION find_invitation(text) OWNER TO {LOOKUP};
ALTER FUNCTION find_organization(text) OWNER TO {LOOKUP};
REVOKE CREATE ON SCHEMA public FROM {LOOKUP};
REVOKE ALL ON FUNCTION find_api_key(text), memberships_of(uuid), find_invitation(text),
  find_organization(text) FROM public;
GRANT EXECUTE ON FUNCTION find_api_key(text), memberships_of(uuid), find_invitation(text),
  find_organization(text) TO {APP};
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_initial"), ("memory_app", "0001_initial")]
    operations = [
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
        migrations.RunSQL(KEYS, migrations.RunSQL.noop),
        migrations.RunSQL(POLICIES, migrations.RunSQL.noop),
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
    ]
