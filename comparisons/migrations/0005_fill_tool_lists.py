"""Every comparison, and every version in the histories, gets its two tools as a list; and back."""

from django.db import migrations

BATCH = 500


def in_batches(rows):
    batch = []
    for row in rows.order_by('pk').iterator(chunk_size=BATCH):
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def fill(apps, schema_editor):
    rows = apps.get_model('comparisons', 'Comparison')._base_manager
    members = apps.get_model('comparisons', 'ComparisonTool')
    members._base_manager.all().delete()
    for batch in in_batches(rows):
        for row in batch:
            row.tool_ids = [row.first_id, row.second_id]
            row.tools_key = '-'.join(str(pk) for pk in sorted(row.tool_ids))
        rows.bulk_update(batch, ['tool_ids', 'tools_key'])
        members._base_manager.bulk_create(
            members(comparison_id=row.pk, tool_id=pk, position=position)
            for row in batch
            for position, pk in enumerate(row.tool_ids, 1)
        )
    versions = apps.get_model('comparisons', 'HistoricalComparison')._base_manager
    for batch in in_batches(versions):
        for row in batch:
            row.tool_ids = [pk for pk in (row.first_id, row.second_id) if pk]
        versions.bulk_update(batch, ['tool_ids'])


def restore(apps, schema_editor):
    for name in ('Comparison', 'HistoricalComparison'):
        rows = apps.get_model('comparisons', name)._base_manager
        for batch in in_batches(rows):
            for row in batch:
                row.first_id, row.second_id = [*row.tool_ids, None, None][:2]
            rows.bulk_update(batch, ['first_id', 'second_id'])


class Migration(migrations.Migration):
    dependencies = [('comparisons', '0004_tool_lists')]
    operations = [migrations.RunPython(fill, restore)]
