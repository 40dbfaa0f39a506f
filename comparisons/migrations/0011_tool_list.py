"""Makes room for one list of a comparison's tools with their texts; the next migration fills it."""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch_again
from shipskip.web.key_lists import KeyListField


def tool_list():
    return KeyListField(
        default=list,
        item=('tool', 'choose_if'),
        longest=140,
        of='tools.Tool',
        rows='tools',
        verbose_name='tools',
    )


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0010_place'),
    ]

    operations = [
        watch_again('comparisons', 'Comparison'),
        migrations.AddField(model_name='comparison', name='tool_list', field=tool_list()),
        migrations.AddField(model_name='historicalcomparison', name='tool_list', field=tool_list()),
        watch_again('comparisons', 'Comparison'),
    ]
