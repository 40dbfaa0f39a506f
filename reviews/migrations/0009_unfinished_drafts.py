"""A draft of a take may lack score and verdict; what is public, scheduled or withdrawn has both.

Backwards it refuses while a draft lacks one, because the earlier release cannot store that. The
history keeps such versions: there the score may stay empty.
"""

import datetime

import django.core.validators
from django.db import migrations, models

from shipskip.page_cache.version_triggers import install

ALWAYS = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
BOUNDS = [
    django.core.validators.MinValueValidator(0),
    django.core.validators.MaxValueValidator(100),
]
VERDICTS = [("ship", "Ship"), ("skip", "Skip")]


class AlterHistory(migrations.AlterField):
    """Alters a field of the history; backwards its column may stay empty."""

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Leave the column as it is."""


def install_triggers(apps, schema_editor):
    """Install the triggers again that SQLite drops with a table it replaces."""
    install(schema_editor.connection, [apps.get_model("reviews", "Take")._meta.db_table])


def refuse_unfinished(apps, schema_editor):
    """Refuse to go back while a draft lacks what the earlier release needs."""
    lacking = models.Q(score=None) | models.Q(verdict="")
    number = apps.get_model("reviews", "Take").objects.filter(lacking).count()
    if number:
        raise RuntimeError(
            f"Drafts of takes without a score or a verdict: {number}. The earlier release cannot "
            "store them: complete or delete them at the desk, then migrate again."
        )


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0008_take_reasons"),
        ("tools", "0006_published_without_help"),
        ("web", "0001_content_version"),
    ]
    operations = [
        migrations.RunPython(migrations.RunPython.noop, install_triggers),
        migrations.RemoveConstraint(model_name="take", name="take_verdict_known"),
        *(
            migrations.AlterField(
                model_name=name,
                name="published_at",
                field=models.DateTimeField(
                    "published", blank=True, db_index=True, null=True, **default
                ),
            )
            for name, default in (
                ("reviewer", {"default": ALWAYS}),
                ("historicalreviewer", {"default": ALWAYS}),
                ("take", {}),
                ("historicaltake", {}),
            )
        ),
        *(
            alter(
                model_name=name,
                name="score",
                field=models.PositiveSmallIntegerField(
                    blank=True, help_text="0 to 100 points", null=True, validators=BOUNDS
                ),
            )
            for name, alter in (("take", migrations.AlterField), ("historicaltake", AlterHistory))
        ),
        *(
            migrations.AlterField(
                model_name=name,
                name="verdict",
                field=models.CharField(blank=True, choices=VERDICTS, max_length=4),
            )
            for name in ("take", "historicaltake")
        ),
        migrations.AddConstraint(
            model_name="take",
            constraint=models.CheckConstraint(
                condition=models.Q(verdict__in=["", "ship", "skip"]), name="take_verdict_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="take",
            constraint=models.CheckConstraint(
                condition=models.Q(published_at=None, withdrawn_at=None)
                | models.Q(score__isnull=False, verdict__in=["ship", "skip"]),
                name="take_unfinished_only_as_draft",
                violation_error_message="Only a draft can be without a score or a verdict.",
            ),
        ),
        migrations.RunPython(install_triggers, refuse_unfinished),
    ]
