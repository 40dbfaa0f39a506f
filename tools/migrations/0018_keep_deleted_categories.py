"""Deleted categories, which were only in the history, come back to their table as deleted rows."""

from django.db import migrations

from shipskip.web.deleted_rows import keep_deleted_rows


class Migration(migrations.Migration):
    dependencies = [('tools', '0017_deleted_categories')]
    operations = [keep_deleted_rows('tools', 'Category')]
