"""A row of figures for each tool, all marked: `manage.py migrate` itself counts their takes at its
end, and creates the triggers again, because they are lost whenever SQLite makes one of their tables
anew.
"""

from django.db import migrations

from reviews import figure_triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0012_panel_figures")]
    operations = [
        migrations.RunPython(
            lambda apps, editor: figure_triggers.install(editor.connection),
            lambda apps, editor: figure_triggers.remove(editor.connection),
        ),
    ]
