"""Give the groups Writers and Publishers their permissions for the newsletter."""

from django.db import migrations

from shipskip.roles import grant, newsletter_rights


class Migration(migrations.Migration):
    dependencies = [
        ("newsletter", "0001_initial"),
        ("site_pages", "0001_roles"),
    ]
    operations = [grant("newsletter", newsletter_rights())]
