"""Deleted takes and reviewers, which were only in the history, come back to their tables as deleted
rows.
"""

from django.db import migrations

from shipskip.web.deleted_rows import keep_deleted_rows


class Migration(migrations.Migration):
    dependencies = [('reviews', '0027_deleted_takes_and_reviewers')]
    operations = [keep_deleted_rows('reviews', 'Reviewer'), keep_deleted_rows('reviews', 'Take')]
