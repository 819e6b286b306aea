from django.db import migrations, models


class Migration(migrations.Migration):
    """The graph's past, its authors and times are read from indexes alone."""

    dependencies = [("memory_app", "0014_retirements")]

    operations = [
        migrations.RemoveIndex(
            model_name='assertion',
            name='assertions_relationship',
        ),
        migrations.RemoveIndex(
            model_name='entity',
            name='entities_degree',
        ),
        migrations.RemoveIndex(
            model_name='memory',
            name='memories_created',
        ),
        migrations.RemoveIndex(
            model_name='relationship',
            name='relationships_source',
        ),
        migrations.AddIndex(
            model_name='assertion',
            index=models.Index(fields=['bank', 'relationship_id'], include=('organization', 'memory_id', 'since', 'until'), name='assertions_relationship'),
        ),
        migrations.AddIndex(
            model_name='entity',
            index=models.Index(condition=models.Q(('until', None)), fields=['bank', '-degree', '-id'], include=('organization', 'type'), name='entities_degree'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['bank', 'created_at'], include=('id', 'organization', 'retired_at', 'deleted_at', 'observed_at', 'author'), name='memories_created'),
        ),
        migrations.AddIndex(
            model_name='relationship',
            index=models.Index(fields=['bank', 'source_id'], include=('organization', 'id', 'target_id', 'type_key', 'declared', 'since', 'until', 'created_by', 'created_at'), name='relationships_source'),
        ),
    ]
