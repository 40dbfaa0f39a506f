"""A take can be held back when its tool is published."""

from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0019_index_basis_of_takes'),
    ]

    operations = [
        watch_again('reviews', 'Take'),
        migrations.AddField(
            model_name='historicaltake',
            name='held',
            field=models.BooleanField(default=False, help_text='It stays a draft when its tool is published or scheduled.', verbose_name='hold this take back'),
        ),
        migrations.AddField(
            model_name='take',
            name='held',
            field=models.BooleanField(default=False, help_text='It stays a draft when its tool is published or scheduled.', verbose_name='hold this take back'),
        ),
        watch_again('reviews', 'Take'),
    ]
