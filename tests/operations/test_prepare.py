"""Migrations while the site is in use: readers wait briefly, and their SQL is checked for locks."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from shipskip.operations.management.commands.prepare import MIGRATION_LOCK, migrate
from tests.management_commands import ran
from tests.operations.sites import Site, temporary_site
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite has one writer, and readers never wait for it",
    ),
    pytest.mark.both_databases,
]
SQUAWK = Path(sys.executable).parent / "squawk"
TASTE = """
prefer-text-field prefer-bigint-over-int prefer-bigint-over-smallint prefer-identity
prefer-robust-stmts transaction-nesting require-timeout-settings
""".split()
"""Rules that have nothing to do with locks, or with how Django writes SQL; `prepare` sets timeouts.
"""

OF_FIRST_RELEASE = {
    "tools": "0018_keep_deleted_categories",
    "reviews": "0029_signs_and_tints",
    "comparisons": "0015_keep_deleted_comparisons",
    "newsletter": "0011_own_text_and_corrections",
    "limits": "0001_initial",
    "web": "0001_content_version",
    "jobs": "0001_initial",
    "editing": "0002_browsers_keep_unsaved_text",
    "search": "0004_search_by_stages",
}
"""The newest migrations of 1.0.0. What they lock was settled: no site was older."""

SETTLED = {
    # A save waits for the moment in which the few tools are checked; readers do not.
    "tools.0019_quotes_and_relations": {"constraint-missing-not-valid"},
    # Both new indexes are empty at first; readers do not wait for them, a save does for the second
    # that a table of 450,000 facts is read.
    "tools.0020_facts_from_open_data": {"require-concurrent-index-creation"},
}
"""What a later one locks, with its reason: see docs/operations.md on migrations while the site is
in use."""


@pytest.fixture(scope="module", autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def site(_unblocked, tmp_path_factory) -> Iterator[Site]:
    with temporary_site(tmp_path_factory.mktemp("migrating"), full=False) as new_site:
        yield new_site


def test_no_migration_takes_a_lock_that_blocks_readers(site, tmp_path):
    packages = ("shipskip", "tools", "reviews", "comparisons")
    ours = {row.label for row in apps.get_app_configs() if row.name.startswith(packages)}
    for app, name in sorted(MigrationLoader(None).disk_migrations):
        if app in ours and name > OF_FIRST_RELEASE.get(app, ""):
            sql = site.manage("sqlmigrate", app, name, "--no-color")
            (tmp_path / f"{app}.{name}.sql").write_text(sql)
    options = ["--pg-version=15", "--reporter=json", f"--exclude={','.join(TASTE)}"]
    done = ran(SQUAWK, *options, *sorted(tmp_path.glob("*.sql")))
    assert done.stdout, done.stderr
    found: dict[str, set[str]] = {}
    for row in json.loads(done.stdout):
        found.setdefault(Path(row["file"]).stem, set()).add(row["rule_name"])
    assert found == SETTLED


def second_connection(site: Site) -> "psycopg.Connection[tuple[object, ...]]":
    """A second connection to the site's database."""
    return psycopg.connect(site.url, autocommit=True)


WAITING = """SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND mode = 'AccessExclusiveLock' AND datname = current_database()"""
"""Only in this database: the suites that run at the same time lock tables in others."""


def test_a_migration_that_waits_for_a_lock_does_not_block_readers(site):
    """A long query locks the table, `migrate` waits for it, then a reader queries the table."""

    def migrate_back() -> None:
        try:
            migrate("sessions", "zero")
        finally:
            connection.close()

    query = "SELECT count(*) FROM django_session"
    with (
        site.use(),
        ThreadPoolExecutor(1) as pool,
        second_connection(site) as long_query,
        second_connection(site) as reader,
    ):
        with long_query.transaction():
            long_query.execute(query)
            migrating = pool.submit(migrate_back)
            wait_until(lambda: reader.execute(WAITING).fetchone() != (0,))
            reader.execute("SET lock_timeout = '20s'")
            reader.execute(query)  # while the long query runs
        migrating.result(300)
        assert "django_session" not in connection.introspection.table_names()
        call_command("migrate", "sessions", verbosity=0)
        assert "django_session" in connection.introspection.table_names()


def test_a_migration_that_gets_no_lock_fails_with_a_sentence_and_changes_nothing(site):
    with site.use(), second_connection(site) as other, other.transaction():
        other.execute("LOCK TABLE django_session IN ACCESS SHARE MODE")
        with pytest.raises(CommandError, match=r"held a lock for 0\.2 seconds"):
            migrate("sessions", "zero", lock_timeout=0.1, patience=0.2)
        assert "django_session" in connection.introspection.table_names()
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)


def test_two_migrations_at_once_run_one_after_the_other(site):
    with site.use(), second_connection(site) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        with pytest.raises(CommandError, match="held a lock"):
            migrate(lock_timeout=0.1, patience=0.2)
        other.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
        migrate()
        held = other.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database "
            "WHERE locktype = 'advisory' AND datname = current_database()"
        )
        assert held.fetchone() == (0,)
