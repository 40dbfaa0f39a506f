"""Takes give the reason of their verdict in one sentence."""

from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0017_drop_panel_figures'),
    ]

    operations = [
        watch_again('reviews', 'Take'),
        migrations.AddField(
            model_name='historicaltake',
            name='because',
            field=models.CharField(blank=True, help_text='The reason of the verdict in one plain sentence, which stands first: “Every edit is a Git commit I can revert.”', max_length=90, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='take',
            name='because',
            field=models.CharField(blank=True, help_text='The reason of the verdict in one plain sentence, which stands first: “Every edit is a Git commit I can revert.”', max_length=90, validators=[shipskip.web.text.validate_line]),
        ),
        watch_again('reviews', 'Take'),
    ]
