"""Delete the unsaved texts on the server: the editor's browser keeps them now."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('editing', '0001_unsaved_texts'),
    ]

    operations = [
        migrations.DeleteModel(name='UnsavedText'),
    ]
