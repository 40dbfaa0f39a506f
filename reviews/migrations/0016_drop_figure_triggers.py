"""Each process has the panel's figures in memory; migration 0017 drops their tables. The reverse
creates the triggers and marks all tools, so that the earlier release counts their takes.
"""

from django.db import migrations

from reviews.migrations import _figure_triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0015_index_takes_with_scores")]
    operations = [migrations.RunPython(_figure_triggers.remove, _figure_triggers.create)]
