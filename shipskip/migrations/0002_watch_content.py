"""Every change of what readers can see raises the content version, whoever writes it."""

from django.db import migrations

from shipskip.page_cache.version_triggers import watch


class Migration(migrations.Migration):
    dependencies = [
        ("site_pages", "0001_roles"),
        ("web", "0001_content_version"),
        ("tools", "0002_history_and_withdrawal"),
        ("reviews", "0002_history_and_withdrawal"),
        ("comparisons", "0002_history_and_withdrawal"),
        ("newsletter", "0001_initial"),
    ]
    operations = [
        watch("tools", "Category", "Tool", "FormerSlug"),
        watch("reviews", "Reviewer", "Take", "TakeChange"),
        watch("comparisons", "Comparison"),
        watch("newsletter", "Issue", "IssueEntry"),
    ]
