"""A second embedding model of a bank, and its vectors."""

import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
from django.conf import settings
from django.db import migrations, models

APP = settings.DATABASES["default"]["USER"]
CONTEXT = "(SELECT nullif(current_setting('app.organization', true), '')::uuid)"

SECURITY = "".join(
    f"""
ALTER TABLE {table} ADD CONSTRAINT {table}_bank_fk
  FOREIGN KEY (organization_id, bank_id) REFERENCES banks (organization_id, id) ON DELETE CASCADE;
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY organization ON {table} USING (organization_id = {CONTEXT});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP};
"""
    for table in ("reembeddings", "other_vectors")
)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_people'),
        ('memory_app', '0009_import_phases'),
    ]

    operations = [
        migrations.CreateModel(
            name='OtherVector',
            fields=[
                ('pk', models.CompositePrimaryKey('bank_id', 'owner_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('owner_id', models.UUIDField()),
                ('model', models.CharField(max_length=120)),
                ('digest', models.CharField(max_length=32)),
                ('embedding', pgvector.django.halfvec.HalfVectorField()),
                ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory_app.bank')),
                ('organization', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='accounts.organization')),
            ],
            options={
                'db_table': 'other_vectors',
            },
        ),
        migrations.CreateModel(
            name='Reembedding',
            fields=[
                ('pk', models.CompositePrimaryKey('bank_id', 'model', blank=True, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(max_length=120)),
                ('dimensions', models.PositiveSmallIntegerField()),
                ('status', models.CharField(choices=[('building', 'Building'), ('ready', 'Ready'), ('kept', 'Kept')], default='building', max_length=10)),
                ('created_by', models.CharField(max_length=60)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('switched_at', models.DateTimeField(blank=True, null=True)),
                ('kept_until', models.DateTimeField(blank=True, null=True)),
                ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory_app.bank')),
                ('organization', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='accounts.organization')),
            ],
            options={
                'db_table': 'reembeddings',
                'constraints': [models.UniqueConstraint(fields=('bank',), name='reembeddings_one')],
            },
        ),
        migrations.RunSQL(SECURITY, migrations.RunSQL.noop),
    ]
