"""Deleting a bank or an organization would cascade into the append-only books, past their grants.

A foreign key's cascade runs with the rights of the table's owner, so the application must not be able
to delete the rows that the books hang on.
"""

from django.conf import settings
from django.db import migrations

APP = settings.DATABASES["default"]["USER"]


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_access_log"), ("memory_app", "0002_row_security")]
    operations = [
        migrations.RunSQL(
            f"REVOKE DELETE ON banks, organizations FROM {APP};", migrations.RunSQL.noop
        )
    ]
