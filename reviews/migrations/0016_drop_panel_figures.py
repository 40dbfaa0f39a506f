"""Each process has the panel's figures in memory. The reverse creates the tables and triggers, and
marks all tools, so that the earlier release counts their takes.
"""

from django.db import migrations, models

from reviews.migrations import _figure_triggers
from shipskip.page_cache.version_triggers import watch


class Migration(migrations.Migration):
    dependencies = [("reviews", "0015_index_takes_with_scores")]
    operations = [
        migrations.RunPython(_figure_triggers.remove, _figure_triggers.create),
        migrations.RunPython(
            migrations.RunPython.noop,
            watch("reviews", "PanelFigures").code,
        ),
        migrations.DeleteModel("PanelFigures"),
        migrations.DeleteModel("PanelMark"),
    ]
