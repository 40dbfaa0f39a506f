"""Tools say whether they are maintained, since when, and where that is written."""

from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0010_facts_of_tools_by_value'),
    ]

    operations = [
        watch_again('tools', 'Tool'),
        migrations.AddField(
            model_name='historicaltool',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('maintenance', 'Maintenance only'), ('discontinued', 'No longer maintained'), ('unknown', 'Not known')], default='unknown', max_length=12),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='status_note',
            field=models.CharField(blank=True, max_length=200, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='status_on',
            field=models.DateField(blank=True, help_text='The day since when; of an active tool the day of its last sign of life.', null=True, verbose_name='since'),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='status_source',
            field=models.CharField(blank=True, max_length=500, validators=[shipskip.web.text.validate_web_address], verbose_name='where its maker says so'),
        ),
        migrations.AddField(
            model_name='tool',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('maintenance', 'Maintenance only'), ('discontinued', 'No longer maintained'), ('unknown', 'Not known')], default='unknown', max_length=12),
        ),
        migrations.AddField(
            model_name='tool',
            name='status_note',
            field=models.CharField(blank=True, max_length=200, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='tool',
            name='status_on',
            field=models.DateField(blank=True, help_text='The day since when; of an active tool the day of its last sign of life.', null=True, verbose_name='since'),
        ),
        migrations.AddField(
            model_name='tool',
            name='status_source',
            field=models.CharField(blank=True, max_length=500, validators=[shipskip.web.text.validate_web_address], verbose_name='where its maker says so'),
        ),
        migrations.AddConstraint(
            model_name='tool',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['active', 'maintenance', 'discontinued', 'unknown'])), name='tool_status_known'),
        ),
        watch_again('tools', 'Tool'),
    ]
