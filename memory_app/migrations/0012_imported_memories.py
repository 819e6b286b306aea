from django.db import migrations, models


class Migration(migrations.Migration):
    """The memories of an import, newest first, without sorting them."""

    dependencies = [
        ('memory_app', '0011_follow_up'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memories_import',
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('import_id__isnull', False)), fields=['bank', 'import_id', '-id'], name='memories_imported'),
        ),
    ]
