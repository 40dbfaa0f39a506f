"""A deleted comparison stays in its table, and its tools can be compared anew."""

from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0013_one_tool_list'),
    ]

    operations = [
        watch_again('comparisons', 'Comparison'),
        migrations.RemoveConstraint(model_name='comparison', name='comparison_once_per_set'),
        *(
            migrations.AddField(
                model_name=model,
                name='deleted_at',
                field=models.DateTimeField(blank=True, editable=False, null=True),
            )
            for model in ('comparison', 'historicalcomparison')
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.UniqueConstraint(
                condition=models.Q(('deleted_at', None)),
                fields=('tools_key',),
                name='comparison_once_per_set',
                violation_error_message='There is a comparison of these tools already: change that one.',
            ),
        ),
        watch_again('comparisons', 'Comparison'),
    ]
