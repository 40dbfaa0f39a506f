"""Drop the stored figures of the panel, whose triggers are gone. PostgreSQL alters no table with
pending events of triggers, so the rows of the reverse come in a migration of their own (0016).
"""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):
    dependencies = [("reviews", "0016_drop_figure_triggers")]
    operations = [
        watch_again("reviews", "PanelFigures"),
        migrations.DeleteModel("PanelFigures"),
        migrations.DeleteModel("PanelMark"),
    ]
