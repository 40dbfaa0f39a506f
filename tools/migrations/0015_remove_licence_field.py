"""The licence of a tool is a fact."""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch_again


class Migration(migrations.Migration):
    dependencies = [("tools", "0014_licence_as_fact")]

    operations = [
        watch_again("tools", "Tool"),
        migrations.RemoveField(model_name="tool", name="license"),
        migrations.RemoveField(model_name="historicaltool", name="license"),
        watch_again("tools", "Tool"),
    ]
