"""Give the groups Writers and Publishers their permissions for the newsletter."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

from shipskip.roles import newsletter_rights


def give_rights(apps, schema_editor):
    """Create the permissions now: Django creates them after all migrations, but groups need them."""
    from django.apps import apps as present

    create_permissions(
        present.get_app_config("newsletter"), verbosity=0, using=schema_editor.connection.alias
    )
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    for name, held in newsletter_rights().items():
        group, _ = group_model.objects.get_or_create(name=name)
        for app, codename in sorted(held):
            permission = permission_model.objects.get(content_type__app_label=app, codename=codename)
            group.permissions.add(permission)


def take_rights(apps, schema_editor):
    """Reverse: remove these permissions, keep the groups."""
    rights = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="newsletter")
    for group in apps.get_model("auth", "Group").objects.all():
        group.permissions.remove(*rights)


class Migration(migrations.Migration):
    dependencies = [
        ("newsletter", "0001_initial"),
        ("site_pages", "0001_roles"),
    ]
    operations = [migrations.RunPython(give_rights, take_rights)]
