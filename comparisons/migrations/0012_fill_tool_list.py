"""Every comparison, and every version in the histories, gets its tools and texts as one list."""

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


def join(row):
    texts = row.choose_if
    row.tool_list = [{'tool': pk, 'choose_if': texts.get(str(pk), '')} for pk in row.tool_ids]


def split(row):
    row.tool_ids = [each['tool'] for each in row.tool_list]
    row.choose_if = {str(each['tool']): each['choose_if'] for each in row.tool_list if each['choose_if']}


def write(apps, act, fields):
    for name in ('Comparison', 'HistoricalComparison'):
        rows = apps.get_model('comparisons', name)._base_manager
        for batch in in_batches(rows):
            for row in batch:
                act(row)
            rows.bulk_update(batch, fields)


def fill(apps, schema_editor):
    write(apps, join, ['tool_list'])


def restore(apps, schema_editor):
    write(apps, split, ['tool_ids', 'choose_if'])


class Migration(migrations.Migration):
    dependencies = [('comparisons', '0011_tool_list')]
    operations = [migrations.RunPython(fill, restore)]
