"""Keeps the history of what editors write, and when it was withdrawn."""

import django.db.models.deletion
import shipskip.web.preview_tokens
import shipskip.web.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0001_initial'),
        ('tools', '0002_history_and_withdrawal'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='comparison',
            name='position',
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='comparison',
            name='preview_key',
            field=models.CharField(default=shipskip.web.preview_tokens.fresh_key, editable=False, max_length=32),
        ),
        migrations.AddField(
            model_name='comparison',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name='HistoricalComparison',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('published_at', models.DateTimeField(blank=True, db_index=True, help_text='Public from this moment (UTC). A moment to come schedules it; empty is a draft.', null=True, verbose_name='published')),
                ('withdrawn_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('summary', models.TextField(blank=True, help_text='Markdown', max_length=20000, validators=[shipskip.web.text.validate_text])),
                ('featured', models.BooleanField(default=False, help_text='Shown on the home page')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('first', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tools.tool')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tools.tool')),
            ],
            options={
                'verbose_name': 'historical comparison',
                'verbose_name_plural': 'historical comparisons',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
    ]
