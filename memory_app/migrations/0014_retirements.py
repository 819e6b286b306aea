from django.db import migrations, models

from accounts.fields import PrefixedIdField


class Migration(migrations.Migration):
    """A proposal may ask that one memory be retired; many questions may be decided at once."""

    dependencies = [("memory_app", "0013_listing")]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="kind",
            field=models.CharField(
                choices=[
                    ("contradiction", "Contradiction"),
                    ("duplicate", "Duplicate"),
                    ("retirement", "Retirement"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="bulkitem",
            name="memory_id",
            field=PrefixedIdField("mem", blank=True, null=True),
        ),
    ]
