"""Keeps the history of what editors write, and when it was withdrawn."""

import datetime
import django.core.validators
import django.db.models.deletion
import reviews.models
import shipskip.web.slugs
import shipskip.web.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0001_initial'),
        ('tools', '0002_history_and_withdrawal'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewer',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='take',
            name='checked_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='take',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name='HistoricalReviewer',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('withdrawn_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('slug', models.CharField(db_index=True, max_length=100, validators=[shipskip.web.slugs.validate_slug])),
                ('name', models.CharField(max_length=120, validators=[shipskip.web.text.validate_line])),
                ('motto', models.CharField(blank=True, max_length=200, validators=[shipskip.web.text.validate_line])),
                ('bio', models.TextField(blank=True, help_text='Markdown', max_length=20000, validators=[shipskip.web.text.validate_text])),
                ('likes', models.JSONField(blank=True, default=list, validators=[reviews.models.validate_phrases])),
                ('dislikes', models.JSONField(blank=True, default=list, validators=[reviews.models.validate_phrases])),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Order on the panel')),
                ('published_at', models.DateTimeField(blank=True, db_index=True, default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), help_text='Public from this moment (UTC). A moment to come schedules it; empty is a draft.', null=True, verbose_name='published')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical reviewer',
                'verbose_name_plural': 'historical reviewers',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalTake',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('published_at', models.DateTimeField(blank=True, db_index=True, help_text='Public from this moment (UTC). A moment to come schedules it; empty is a draft.', null=True, verbose_name='published')),
                ('withdrawn_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('score', models.PositiveSmallIntegerField(help_text='0 to 100 points', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)])),
                ('verdict', models.CharField(choices=[('ship', 'Ship'), ('skip', 'Skip')], max_length=4)),
                ('body', models.TextField(blank=True, help_text='Markdown', max_length=20000, validators=[shipskip.web.text.validate_text])),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reviewer', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='reviews.reviewer')),
                ('tool', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tools.tool')),
            ],
            options={
                'verbose_name': 'historical take',
                'verbose_name_plural': 'historical takes',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='TakeChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('score_before', models.PositiveSmallIntegerField()),
                ('score_after', models.PositiveSmallIntegerField()),
                ('verdict_before', models.CharField(choices=[('ship', 'Ship'), ('skip', 'Skip')], max_length=4)),
                ('verdict_after', models.CharField(choices=[('ship', 'Ship'), ('skip', 'Skip')], max_length=4)),
                ('reason', models.CharField(max_length=200, validators=[shipskip.web.text.validate_line])),
                ('at', models.DateTimeField()),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reviews.reviewer')),
                ('tool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='take_changes', to='tools.tool')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'default_permissions': (),
                'indexes': [models.Index(fields=['tool', '-at'], name='take_change_of_tool')],
            },
        ),
    ]
