"""The full-text index of the documents. `manage.py migrate` itself creates the triggers that mark
rows, because they are lost whenever SQLite makes one of their tables anew.
"""

from django.db import migrations

from shipskip.search import tables


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]
    operations = [
        migrations.RunPython(
            lambda apps, editor: tables.create(editor.connection),
            lambda apps, editor: tables.drop(editor.connection),
        ),
    ]
