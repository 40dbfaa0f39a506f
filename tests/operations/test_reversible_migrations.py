"""Migrations match the models, and each has a reverse."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.own_models import own_apps

pytestmark = pytest.mark.django_db


def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_migration_has_a_reverse():
    labels = {app.label for app in own_apps()}
    loader = MigrationLoader(connection)
    ours = [row for (app, _), row in loader.disk_migrations.items() if app in labels]
    assert {"tools", "reports", "web"} <= {migration.app_label for migration in ours}
    for migration in ours:
        for operation in migration.operations:
            assert operation.reversible, f"{migration}: {operation.describe()}"
