"""Tallies no longer say when they are shown; pages with tallies live less than a minute.

The column stays in this release: workers of the previous one still write it while they are
replaced. It may be dropped in the next.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reviews", "0003_tally_joins")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="tooltally", name="joins_at")]
        ),
    ]
