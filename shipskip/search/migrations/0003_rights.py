"""Gives the groups Writers and Publishers their permissions for synonyms."""

from django.db import migrations

from shipskip.roles import grant, synonym_rights


class Migration(migrations.Migration):
    dependencies = [
        ("site_pages", "0001_roles"),
        ("search", "0002_full_text"),
    ]
    operations = [grant("search", synonym_rights())]
