"""Editors void counted votes together, with a reason on the public record."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0020_hold_takes_back"),
        ("tools", "0013_six_decimals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Voiding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("since", models.DateTimeField(blank=True, null=True, verbose_name="from")),
                ("until", models.DateTimeField(blank=True, null=True, verbose_name="before")),
                ("reason", models.CharField(max_length=200)),
                ("is_listed", models.BooleanField(default=True, editable=False)),
                ("voided_at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(null=True)),
                ("votes", models.PositiveIntegerField(default=0)),
                ("by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("tool", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="voidings", to="tools.tool")),
            ],
            options={"verbose_name": "voided votes", "verbose_name_plural": "voided votes", "default_permissions": ()},
        ),
        watch("reviews", "Voiding"),
        migrations.AddField(
            model_name="vote",
            name="voiding",
            field=models.ForeignKey(db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="reviews.voiding"),
        ),
        migrations.AlterField(
            model_name="voteevent",
            name="reason",
            field=models.CharField(blank=True, max_length=210),
        ),
    ]
