from django.db import migrations, models


class Migration(migrations.Migration):
    """A deleted file waits in the bin with all its versions."""

    dependencies = [("memory_app", "0016_swifter_reads")]

    operations = [
        migrations.AddField(
            model_name="file",
            name="deleted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
