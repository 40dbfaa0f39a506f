"""A deleted category stays in its table, and its address is free."""

from django.db import migrations, models

import shipskip.web.slugs
from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('tools', '0016_slips_and_corrections'),
    ]

    operations = [
        watch_again('tools', 'Category'),
        *(
            migrations.AddField(
                model_name=model,
                name='deleted_at',
                field=models.DateTimeField(blank=True, editable=False, null=True),
            )
            for model in ('category', 'historicalcategory')
        ),
        *(
            migrations.AlterField(
                model_name=model,
                name='slug',
                field=models.CharField(max_length=100, validators=[shipskip.web.slugs.validate_slug], verbose_name='address'),
            )
            for model in ('category', 'historicalcategory')
        ),
        migrations.AddConstraint(
            model_name='category',
            constraint=models.UniqueConstraint(
                condition=models.Q(('deleted_at', None)),
                fields=('slug',),
                name='category_slug_once',
                violation_error_code='unique',
                violation_error_message='Another category has this address: choose a different one.',
            ),
        ),
        watch_again('tools', 'Category'),
    ]
