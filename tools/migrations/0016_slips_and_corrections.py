"""A changed line of the public record of facts and prices may be a slip or a correction."""

from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):
    dependencies = [("tools", "0015_remove_licence_field")]

    operations = [
        watch_again("tools", "FactChange"),
        migrations.AddField(
            model_name="factchange",
            name="undone_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="factchange",
            name="correction",
            field=models.CharField(
                blank=True,
                default="",
                max_length=200,
                validators=[shipskip.web.text.validate_line],
            ),
            preserve_default=False,
        ),
        watch_again("tools", "FactChange"),
    ]
