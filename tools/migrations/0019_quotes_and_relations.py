"""Facts and plans quote their source, and tools say their commercial relation with the site."""

from django.db import migrations, models

import shipskip.web.text
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0018_keep_deleted_categories'),
    ]

    operations = [
        *(watch_again('tools', model) for model in ('Fact', 'Plan', 'Tool')),
        migrations.AddField(
            model_name='fact',
            name='quote',
            field=models.CharField(blank=True, db_default='', default='', max_length=300, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='historicalfact',
            name='quote',
            field=models.CharField(blank=True, db_default='', default='', max_length=300, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='historicalplan',
            name='quote',
            field=models.CharField(blank=True, db_default='', default='', max_length=300, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='historicaltool',
            name='relation',
            field=models.CharField(choices=[('none', 'None'), ('affiliate', 'Links to it earn this site money'), ('sponsor', 'Its maker pays this site'), ('owner', 'Its maker and this site have an owner in common')], db_default='none', default='none', max_length=12, verbose_name='commercial relation with its maker'),
        ),
        migrations.AddField(
            model_name='plan',
            name='quote',
            field=models.CharField(blank=True, db_default='', default='', max_length=300, validators=[shipskip.web.text.validate_line]),
        ),
        migrations.AddField(
            model_name='tool',
            name='relation',
            field=models.CharField(choices=[('none', 'None'), ('affiliate', 'Links to it earn this site money'), ('sponsor', 'Its maker pays this site'), ('owner', 'Its maker and this site have an owner in common')], db_default='none', default='none', max_length=12, verbose_name='commercial relation with its maker'),
        ),
        migrations.AddConstraint(
            model_name='tool',
            constraint=models.CheckConstraint(condition=models.Q(('relation__in', ['none', 'affiliate', 'sponsor', 'owner'])), name='tool_relation_known'),
        ),
        *(watch_again('tools', model) for model in ('Fact', 'Plan', 'Tool')),
    ]
