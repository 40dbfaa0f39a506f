"""Give the reports that were stored before the names of their tools."""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps: Any, editor: Any) -> None:
    """Take the present names: those of the day are not known of every tool."""
    reports = apps.get_model("reports", "Report").objects.using(editor.connection.alias)
    tools = apps.get_model("tools", "Tool").objects.using(editor.connection.alias)
    name = tools.filter(pk=OuterRef("tool")).values("name")[:1]
    reports.filter(tool_name="").exclude(tool=None).update(tool_name=Subquery(name))


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_names_of_that_day")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
