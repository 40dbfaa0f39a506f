"""The pairs that readers read, decided once a night; pages say whether search engines may list them."""

import django.db.models.manager
from django.db import migrations, models

from shipskip.page_cache.version_triggers import watch


class Migration(migrations.Migration):
    dependencies = [
        ('comparisons', '0015_keep_deleted_comparisons'),
        ('web', '0001_content_version'),
    ]
    operations = [
        migrations.CreateModel(
            name='ReadPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tools_key', models.CharField(max_length=200, unique=True)),
            ],
            options={'default_permissions': ()},
        ),
        watch('comparisons', 'ReadPair'),
    ]
