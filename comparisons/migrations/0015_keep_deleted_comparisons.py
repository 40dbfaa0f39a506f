"""Deleted comparisons, which were only in the history, come back to their table as deleted rows."""

from django.db import migrations

from shipskip.web.deleted_rows import keep_deleted_rows


def derive_key(row):
    row.tools_key = '-'.join(str(pk) for pk in sorted(each['tool'] for each in row.tool_list))


def write_members(apps, schema_editor):
    members = apps.get_model('comparisons', 'ComparisonTool')._base_manager
    tools = set(apps.get_model('tools', 'Tool')._base_manager.values_list('pk', flat=True))
    rows = apps.get_model('comparisons', 'Comparison')._base_manager.exclude(deleted_at=None)
    for row in rows.filter(members=None):
        members.bulk_create(
            members.model(comparison=row, tool_id=each['tool'], position=position)
            for position, each in enumerate(row.tool_list, 1)
            if each['tool'] in tools
        )


class Migration(migrations.Migration):
    dependencies = [('comparisons', '0014_deleted_comparisons')]
    operations = [
        keep_deleted_rows('comparisons', 'Comparison', derive_key),
        migrations.RunPython(write_members, migrations.RunPython.noop),
    ]
