"""Deleted takes and reviewers stay in their tables; what must be unique of them is free."""

from django.db import migrations, models

import shipskip.web.slugs
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0026_slips_and_corrections'),
    ]

    operations = [
        watch_again('reviews', 'Reviewer', 'Take'),
        migrations.RemoveConstraint(model_name='take', name='take_once_per_reviewer'),
        *(
            migrations.AddField(
                model_name=model,
                name='deleted_at',
                field=models.DateTimeField(blank=True, editable=False, null=True),
            )
            for model in ('reviewer', 'historicalreviewer', 'take', 'historicaltake')
        ),
        *(
            migrations.AlterField(
                model_name=model,
                name='slug',
                field=models.CharField(max_length=100, validators=[shipskip.web.slugs.validate_slug], verbose_name='address'),
            )
            for model in ('reviewer', 'historicalreviewer')
        ),
        migrations.AddConstraint(
            model_name='reviewer',
            constraint=models.UniqueConstraint(
                condition=models.Q(('deleted_at', None)),
                fields=('slug',),
                name='reviewer_slug_once',
                violation_error_code='unique',
                violation_error_message='Another reviewer has this address: choose a different one.',
            ),
        ),
        migrations.AddConstraint(
            model_name='take',
            constraint=models.UniqueConstraint(
                condition=models.Q(('deleted_at', None)),
                fields=('tool', 'reviewer'),
                name='take_once_per_reviewer',
                violation_error_message='This reviewer has a take on this tool already.',
            ),
        ),
        migrations.AddConstraint(
            model_name='take',
            constraint=models.CheckConstraint(
                condition=models.Q(('deleted_at', None), ('published_at', None), _connector='OR'),
                name='take_deleted_is_not_public',
            ),
        ),
        watch_again('reviews', 'Reviewer', 'Take'),
    ]
