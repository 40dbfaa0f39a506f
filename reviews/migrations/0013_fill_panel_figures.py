"""A row of figures for each tool, all marked; migration 0016 drops them."""

from django.db import migrations

from reviews.migrations import _figure_triggers


class Migration(migrations.Migration):
    dependencies = [("reviews", "0012_panel_figures")]
    operations = [migrations.RunPython(_figure_triggers.create, _figure_triggers.remove)]
