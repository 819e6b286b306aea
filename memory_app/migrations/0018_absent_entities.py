import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    """An entity that had gone and came back keeps when it was away, so that the past can say so."""

    dependencies = [("memory_app", "0017_files_bin")]

    operations = [
        migrations.AddField(
            model_name="entity",
            name="absent",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), blank=True, default=list, size=None
            ),
        ),
    ]
