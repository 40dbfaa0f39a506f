"""Lock a table that readers use, as a migration that changes it does."""

from django.db import migrations


class Migration(migrations.Migration):
    """Take and release the lock; nothing is changed."""

    operations = [
        migrations.RunSQL("LOCK TABLE tools_tool IN ACCESS EXCLUSIVE MODE", migrations.RunSQL.noop)
    ]
