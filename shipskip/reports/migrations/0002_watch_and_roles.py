"""Every decision raises the content version; the groups get their permissions."""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch
from shipskip.roles import grant, report_rights


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0001_initial"),
        ("site_pages", "0001_roles"),
        ("web", "0001_content_version"),
    ]
    operations = [watch("reports", "Decision"), grant("reports", report_rights())]
