"""Gives the groups Writers and Publishers their permissions for attributes, facts, plans, families."""

from django.db import migrations

from shipskip.roles import fact_rights, grant


class Migration(migrations.Migration):
    dependencies = [
        ("site_pages", "0002_watch_content"),
        ("tools", "0009_facts_and_plans"),
    ]
    operations = [grant("tools", fact_rights(), "attribute", "family", "fact", "plan")]
