"""Makes the groups Writers and Publishers with the rights they hold today."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

from shipskip.roles import EDITORIAL, rights


def make_groups(apps, schema_editor):
    """Rights are made after all migrations; ask for them now, since the groups hold them."""
    from django.apps import apps as present

    for app in EDITORIAL:
        create_permissions(present.get_app_config(app), verbosity=0, using=schema_editor.connection.alias)
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    for name, held in rights().items():
        group, _ = group_model.objects.get_or_create(name=name)
        for app, codename in sorted(held):
            permission = permission_model.objects.get(content_type__app_label=app, codename=codename)
            group.permissions.add(permission)


def keep_groups(apps, schema_editor):
    """Backwards the groups stay: people may be in them."""


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("tools", "0001_initial"),
        ("reviews", "0001_initial"),
        ("comparisons", "0001_initial"),
    ]
    operations = [migrations.RunPython(make_groups, keep_groups)]
