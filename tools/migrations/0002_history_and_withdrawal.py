"""Keeps the history of what editors write, and when it was withdrawn."""

import datetime
import django.core.validators
import django.db.models.deletion
import shipskip.web.preview_tokens
import shipskip.web.slugs
import shipskip.web.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models



def tell_deleted_apart(apps, schema_editor):
    """Backwards a slug is unique again, and so deleted tools must give theirs up."""
    tool = apps.get_model("tools", "Tool")
    for row in tool._base_manager.exclude(deleted_at=None):
        row.slug = f"deleted-{row.pk}"
        row.save(update_fields=["slug"])


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='HistoricalCategory',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('withdrawn_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('slug', models.CharField(db_index=True, max_length=100, validators=[shipskip.web.slugs.validate_slug])),
                ('name', models.CharField(max_length=120, validators=[shipskip.web.text.validate_line])),
                ('description', models.CharField(blank=True, max_length=500, validators=[shipskip.web.text.validate_line])),
                ('published_at', models.DateTimeField(blank=True, db_index=True, default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), help_text='Public from this moment (UTC). A moment to come schedules it; empty is a draft.', null=True, verbose_name='published')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
            ],
            options={
                'verbose_name': 'historical category',
                'verbose_name_plural': 'historical categories',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalTool',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('published_at', models.DateTimeField(blank=True, db_index=True, help_text='Public from this moment (UTC). A moment to come schedules it; empty is a draft.', null=True, verbose_name='published')),
                ('withdrawn_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('slug', models.CharField(max_length=100, validators=[shipskip.web.slugs.validate_slug])),
                ('name', models.CharField(max_length=120, validators=[shipskip.web.text.validate_line])),
                ('maker', models.CharField(blank=True, max_length=120, validators=[shipskip.web.text.validate_line])),
                ('website', models.CharField(blank=True, max_length=300, validators=[django.core.validators.URLValidator(schemes=['http', 'https'])])),
                ('tagline', models.CharField(blank=True, max_length=160, validators=[shipskip.web.text.validate_line])),
                ('description', models.TextField(blank=True, help_text='Markdown', max_length=20000, validators=[shipskip.web.text.validate_text])),
                ('best_for', models.CharField(blank=True, max_length=200, validators=[shipskip.web.text.validate_line])),
                ('entry', models.CharField(choices=[('free', 'Free'), ('freemium', 'Freemium'), ('paid', 'Paid')], default='free', max_length=8)),
                ('pricing', models.CharField(blank=True, max_length=160, validators=[shipskip.web.text.validate_line])),
                ('license', models.CharField(blank=True, max_length=120, validators=[shipskip.web.text.validate_line])),
                ('deleted_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
            ],
            options={
                'verbose_name': 'historical tool',
                'verbose_name_plural': 'historical tools',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.AddField(
            model_name='category',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='tool',
            name='deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='tool',
            name='preview_key',
            field=models.CharField(default=shipskip.web.preview_tokens.fresh_key, editable=False, max_length=32),
        ),
        migrations.AddField(
            model_name='tool',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='tool',
            name='slug',
            field=models.CharField(max_length=100, validators=[shipskip.web.slugs.validate_slug]),
        ),
        migrations.AddConstraint(
            model_name='tool',
            constraint=models.UniqueConstraint(condition=models.Q(('deleted_at', None)), fields=('slug',), name='tool_slug_once', violation_error_code='unique', violation_error_message='Another tool has this slug: choose another, such as one with its maker or version.'),
        ),
        migrations.AddField(
            model_name='historicalcategory',
            name='history_user',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='category',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tools.category'),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='history_user',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(migrations.RunPython.noop, tell_deleted_apart),
    ]
