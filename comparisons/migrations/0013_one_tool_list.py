"""The list of tools and the texts on them go: both are in one list."""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0012_fill_tool_list'),
    ]

    operations = [
        watch_again('comparisons', 'Comparison'),
        *(
            migrations.RemoveField(model_name=model, name=name)
            for model in ('comparison', 'historicalcomparison')
            for name in ('tool_ids', 'choose_if')
        ),
        watch_again('comparisons', 'Comparison'),
    ]
