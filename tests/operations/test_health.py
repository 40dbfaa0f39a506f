"""`/livez` answers while the process runs, `/readyz` while it can serve readers."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from shipskip import __version__
from shipskip.operations.observability import health
from tests.reviews.voters import unreachable_database

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forget_applied_migrations(monkeypatch):
    monkeypatch.setattr(health, "_migrated", False)


def test_it_is_ready_with_its_database_and_every_migration(client, django_assert_max_num_queries):
    assert client.get("/readyz").json() == {
        "database": "ok",
        "migrations": "ok",
        "content": "ok",
        "version": __version__,
    }
    with django_assert_max_num_queries(2):  # one looks the version up, in the background elsewhere
        assert client.get("/readyz").status_code == 200


def test_without_its_database_the_process_is_alive_and_not_ready(client):
    with unreachable_database():
        alive, ready = client.get("/livez"), client.get("/readyz")
    assert (alive.status_code, alive.content) == (200, b"ok\n")
    assert ready.status_code == 503
    assert ready.json()["database"] == "away"


def test_it_is_not_ready_before_its_migrations_are_applied_and_is_after(client):
    applied = MigrationRecorder(connection).migration_qs.filter(app="tools").order_by("-pk")[0]
    applied.delete()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["migrations"] == "missing"
    MigrationRecorder(connection).record_applied(applied.app, applied.name)
    assert client.get("/readyz").status_code == 200
