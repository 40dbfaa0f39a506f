"""An issue can have entries of the editors' own text, and its archive page a dated correction."""

import django.db.models.deletion
from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again

TEXT = {
    "blank": True,
    "default": "",
    "help_text": "Markdown",
    "max_length": shipskip.web.text.LONGEST_PROSE,
    "validators": [shipskip.web.text.validate_text],
}


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0010_sign_ups_in_limits")]

    operations = [
        watch_again("newsletter", "Issue"),
        watch_again("newsletter", "IssueEntry"),
        migrations.AddField(
            model_name="issue",
            name="correction",
            field=models.TextField(**TEXT),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="issue",
            name="corrected_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="issueentry",
            name="heading",
            field=models.CharField(
                blank=True,
                default="",
                max_length=120,
                validators=[shipskip.web.text.validate_line],
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="issueentry",
            name="text",
            field=models.TextField(**TEXT),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="issueentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("new_verdict", "New verdict"),
                    ("changed_verdict", "Changed verdict"),
                    ("closest_pair", "Closest pair"),
                    ("most_divided", "Panel and community differ most"),
                    ("own_text", "Own text"),
                ],
                max_length=15,
            ),
        ),
        migrations.AlterField(
            model_name="issueentry",
            name="tool",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tools.tool",
            ),
        ),
        watch_again("newsletter", "Issue"),
        watch_again("newsletter", "IssueEntry"),
    ]
