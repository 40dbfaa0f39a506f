"""A changed line of the public record of verdicts may be a slip or a correction."""

from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):
    dependencies = [("reviews", "0025_limits_of_their_own")]

    operations = [
        watch_again("reviews", "TakeChange"),
        migrations.AddField(
            model_name="takechange",
            name="undone_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="takechange",
            name="correction",
            field=models.CharField(
                blank=True,
                default="",
                max_length=200,
                validators=[shipskip.web.text.validate_line],
            ),
            preserve_default=False,
        ),
        watch_again("reviews", "TakeChange"),
    ]
