"""Migrations match the models, and each has a reverse."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

pytestmark = pytest.mark.django_db

OURS = {"tools", "reviews", "comparisons", "newsletter"}


def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_migration_has_a_reverse():
    loader = MigrationLoader(connection)
    ours = [row for (app, _), row in loader.disk_migrations.items() if app in OURS]
    assert len(ours) >= 3
    for migration in ours:
        for operation in migration.operations:
            assert operation.reversible, f"{migration}: {operation.describe()}"


def test_the_checks_of_django_find_nothing():
    call_command("check", fail_level="WARNING")
