"""Makes room for comparisons of more than two tools; the next migration fills it."""

import django.db.models.deletion
import shipskip.web.key_lists
from django.db import migrations, models

import comparisons.models
from shipskip.page_cache.version_triggers import install


def watch_again(apps, schema_editor):
    """The triggers of the release before: on SQLite, the reverse has made the table anew."""
    install(schema_editor.connection, ['comparisons_comparison'])


def optional(side):
    return models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name=f'{side}_in', to='tools.tool')


def tool_ids():
    return shipskip.web.key_lists.KeyListField(default=list, of='tools.Tool', rows='tools', verbose_name='tools')


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0003_featured_help'),
        ('tools', '0005_sort_names'),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, watch_again),
        migrations.RemoveConstraint(model_name='comparison', name='comparison_of_two_tools'),
        migrations.RemoveConstraint(model_name='comparison', name='comparison_once_per_pair'),
        migrations.AlterField(model_name='comparison', name='first', field=optional('first')),
        migrations.AlterField(model_name='comparison', name='second', field=optional('second')),
        migrations.AddField(model_name='comparison', name='tool_ids', field=tool_ids()),
        migrations.AddField(
            model_name='comparison',
            name='tools_key',
            field=models.CharField(blank=True, default='', editable=False, max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(model_name='historicalcomparison', name='tool_ids', field=tool_ids()),
        migrations.CreateModel(
            name='ComparisonTool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='comparisons.comparison')),
                ('tool', models.ForeignKey(on_delete=comparisons.models.delete_comparison_too, related_name='compared_in', to='tools.tool')),
            ],
            options={
                'default_permissions': (),
                'constraints': [
                    models.UniqueConstraint(fields=('comparison', 'tool'), name='comparison_tool_once'),
                    models.UniqueConstraint(fields=('comparison', 'position'), name='comparison_position_once'),
                    models.CheckConstraint(condition=models.Q(('position__gte', 1), ('position__lte', 10)), name='comparison_position_one_to_ten'),
                ],
            },
        ),
    ]
