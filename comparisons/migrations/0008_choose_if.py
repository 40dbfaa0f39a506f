from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('comparisons', '0007_published_without_help'),
        ('site_pages', '0002_watch_content'),
    ]

    operations = [
        watch_again('comparisons', 'Comparison'),
        migrations.AddField(
            model_name='comparison',
            name='choose_if',
            field=models.JSONField(blank=True, default=dict, verbose_name='choose if'),
        ),
        migrations.AddField(
            model_name='historicalcomparison',
            name='choose_if',
            field=models.JSONField(blank=True, default=dict, verbose_name='choose if'),
        ),
        watch_again('comparisons', 'Comparison'),
    ]
