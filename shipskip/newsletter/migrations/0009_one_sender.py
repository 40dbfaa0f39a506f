"""One process sends, so mails have no claims; entries are not selected again."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("newsletter", "0008_replaced_selection"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="delivery",
            name="newsletter__claimed_d4bba4_idx",
        ),
        migrations.RemoveField(
            model_name="delivery",
            name="claimed_by",
        ),
        migrations.RemoveField(
            model_name="issue",
            name="replaced_selection",
        ),
    ]
