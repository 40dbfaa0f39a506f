"""When what changed in a tally is shown to everybody: at most once a minute."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0002_history_and_withdrawal")]
    operations = [
        migrations.AddField(
            model_name="tooltally",
            name="joins_at",
            field=models.DateTimeField(blank=True, db_index=True, editable=False, null=True),
        ),
    ]
