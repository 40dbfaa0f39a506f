"""The migrated database of PostgreSQL, which sites copy."""

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from tests.postgres import migrated_template


@pytest.fixture(scope="session")
def template(django_db_blocker: DjangoDbBlocker) -> str:
    """Its name; migrating takes 15 s of processor time."""
    if connection.vendor == "sqlite":
        return ""
    with django_db_blocker.unblock():
        return migrated_template()
