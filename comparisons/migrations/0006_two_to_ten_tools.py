"""A comparison has a list of two to ten tools; the two foreign keys go.

Going back is refused, before anything is changed, while a comparison or a version in the histories
has more than two tools: two foreign keys cannot hold them.
"""

from django.db import migrations, models
from django.db.models.functions import Length, Replace
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual
from django.db.utils import NotSupportedError

from shipskip.page_cache.version_triggers import watch

HYPHENS = Length('tools_key') - Length(Replace('tools_key', models.Value('-'), models.Value('')))
MAX_NAMED = 20


def refuse_more_than_two(apps, schema_editor):
    names = dict(apps.get_model('tools', 'Tool')._base_manager.values_list('pk', 'name'))
    found = {}
    for model, words in (('Comparison', '{}'), ('HistoricalComparison', '{} (in its history)')):
        rows = apps.get_model('comparisons', model)._base_manager.order_by('pk')
        for pk, tools in rows.values_list('id', 'tool_ids').iterator():
            if len(tools) > 2:
                name = ' vs '.join(names.get(tool, 'a deleted tool') for tool in tools)
                found.setdefault((pk, tuple(tools)), words.format(name))
    if found:
        some = list(found.values())
        more = f', and {len(some) - MAX_NAMED} more' if len(some) > MAX_NAMED else ''
        raise NotSupportedError(
            'The release before knows comparisons of two tools only, and these have more: '
            f'{"; ".join(some[:MAX_NAMED])}{more}. Nothing was changed.'
        )


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0005_fill_tool_lists'),
        ('site_pages', '0002_watch_content'),
    ]

    operations = [
        migrations.RemoveField(model_name='comparison', name='first'),
        migrations.RemoveField(model_name='comparison', name='second'),
        migrations.RemoveField(model_name='historicalcomparison', name='first'),
        migrations.RemoveField(model_name='historicalcomparison', name='second'),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.UniqueConstraint(fields=('tools_key',), name='comparison_once_per_set'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(
                condition=models.Q(GreaterThanOrEqual(HYPHENS, 1), LessThanOrEqual(HYPHENS, 9)),
                name='comparison_of_two_to_ten_tools',
                violation_error_message='A comparison has 2 to 10 tools.',
            ),
        ),
        watch('comparisons', 'Comparison', 'ComparisonTool'),
        migrations.RunPython(migrations.RunPython.noop, refuse_more_than_two),
    ]
