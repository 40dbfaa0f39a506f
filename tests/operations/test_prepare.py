"""Migrations while the site is in use: readers wait briefly, and their SQL is checked for locks."""

import json
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from psycopg.errors import LockNotAvailable

from shipskip.operations.management.commands.prepare import MIGRATION_LOCK, migrate
from tests.operations.sites import Site, temporary_site

pytestmark = [
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite has one writer, and readers never wait for it",
    ),
    pytest.mark.both_databases,
]
OURS = {"limits", "tools", "reviews", "comparisons", "newsletter", "web", "site_pages"}
SQUAWK = Path(sys.executable).parent / "squawk"

TASTE = (
    *("prefer-text-field", "prefer-bigint-over-int", "prefer-bigint-over-smallint"),
    *("prefer-identity", "prefer-robust-stmts", "transaction-nesting"),
    "require-timeout-settings",  # `prepare` sets it
)
"""Rules that have nothing to do with locks, or with how Django writes SQL."""

SETTLED = {
    "tools.0002_history_and_withdrawal": {
        "adding-foreign-key-constraint",
        "ban-drop-constraint",
        "ban-drop-default",
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    "comparisons.0002_history_and_withdrawal": {"ban-drop-default"},
    "reviews.0003_tally_joins": {"require-concurrent-index-creation"},
    # A wider check replaces the old one in the same transaction.
    "reviews.0005_held_groups": {"ban-drop-constraint"},
    # A longer varchar: PostgreSQL changes its catalogue and rewrites no row.
    "reviews.0008_take_reasons": {"changing-column-type"},
    # Editors' tables have tens of thousands of rows at most: a check reads them in well under a
    # second, and a column with a default rewrites none.
    "comparisons.0004_tool_lists": {
        "ban-drop-constraint",
        "ban-drop-default",
        "ban-drop-not-null",
        "require-concurrent-index-deletion",
    },
    # Lists of the previous release read the dropped tables: CHANGELOG.md says so.
    "reviews.0017_drop_panel_figures": {"ban-drop-table"},
    # Servers of the previous release read the dropped columns: CHANGELOG.md says so.
    "comparisons.0006_two_to_ten_tools": {
        "ban-drop-column",
        "constraint-missing-not-valid",
        "disallowed-unique-constraint",
    },
    "comparisons.0008_choose_if": {"ban-drop-default"},
    "reviews.0029_signs_and_tints": {"ban-drop-default"},
    "reviews.0009_unfinished_drafts": {
        "ban-drop-constraint",
        "ban-drop-not-null",
        "constraint-missing-not-valid",
    },
    "reviews.0018_because_of_takes": {"ban-drop-default"},
    "reviews.0019_index_basis_of_takes": {
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    # Workers of the previous release cannot store votes after it: CHANGELOG.md says so. The check
    # of choices reads a million votes in a fifth of a second.
    "reviews.0024_drop_held_groups": {
        "ban-drop-column",
        "ban-drop-constraint",
        "ban-drop-default",
        "ban-drop-table",
        "constraint-missing-not-valid",
        "require-concurrent-index-deletion",
    },
    # The salts of days and counts of hours and days, which workers of the previous release need to
    # store votes and sign-ups: CHANGELOG.md says so.
    "limits.0001_initial": {"renaming-table"},
    "newsletter.0010_sign_ups_in_limits": {"ban-drop-table"},
    "reviews.0025_limits_of_their_own": {"ban-drop-table"},
    "reviews.0020_hold_takes_back": {"ban-drop-default"},
    "reviews.0026_slips_and_corrections": {"ban-drop-default"},
    "tools.0016_slips_and_corrections": {"ban-drop-default"},
    # A longer varchar: PostgreSQL changes its catalogue and rewrites no row.
    "reviews.0021_voidings": {"changing-column-type"},
    "tools.0011_status_of_tools": {"ban-drop-default", "constraint-missing-not-valid"},
    "tools.0012_notes_that_only_explain": {
        "ban-drop-default",
        "require-concurrent-index-creation",
    },
    # More decimal places: PostgreSQL writes facts and plans once, a second for 200,000.
    "tools.0013_six_decimals": {"changing-column-type"},
    # Servers of the previous release read the dropped column: CHANGELOG.md says so.
    "tools.0015_remove_licence_field": {"ban-drop-column"},
    "reviews.0010_basis_of_takes": {"ban-drop-default", "constraint-missing-not-valid"},
    "tools.0007_label_and_choose_if": {"ban-drop-default"},
    # A column without values refers to a new table: its check and its index read no value.
    "tools.0009_facts_and_plans": {
        "adding-foreign-key-constraint",
        "require-concurrent-index-creation",
    },
    # No site has facts before the release that this migration is part of.
    "tools.0010_facts_of_tools_by_value": {
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    # One row of two numbers for each tool is rewritten: votes wait for some tens of milliseconds.
    "reviews.0014_lower_bound_of_tallies": {"adding-field-with-default"},
    # Takes are tens of thousands at most: their index is made in well under a second.
    "reviews.0015_index_takes_with_scores": {
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    # The table has one row a week: its index is made in milliseconds.
    "newsletter.0004_one_page_of_a_date": {
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    # Pages of past issues of the previous release read the dropped columns: CHANGELOG.md says so.
    "newsletter.0009_one_sender": {"ban-drop-column", "require-concurrent-index-deletion"},
    # Five rows a week: they are checked in milliseconds.
    "newsletter.0011_own_text_and_corrections": {
        "adding-foreign-key-constraint",
        "ban-drop-constraint",
        "ban-drop-default",
        "ban-drop-not-null",
        "constraint-missing-not-valid",
    },
    # Lists of the previous release read the dropped columns: CHANGELOG.md says so.
    "comparisons.0011_tool_list": {"ban-drop-default"},
    "comparisons.0013_one_tool_list": {"ban-drop-column"},
    # Editors' rows are tens of thousands at most: an index is made, and a check read, in well under
    # a second. A unique constraint gives way to a narrower one in the same transaction.
    "comparisons.0014_deleted_comparisons": {
        "ban-drop-constraint",
        "require-concurrent-index-creation",
    },
    "reviews.0027_deleted_takes_and_reviewers": {
        "ban-drop-constraint",
        "constraint-missing-not-valid",
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    "tools.0017_deleted_categories": {
        "ban-drop-constraint",
        "require-concurrent-index-creation",
        "require-concurrent-index-deletion",
    },
    # A save waits for the moment in which the few tools are checked; readers do not.
    "tools.0019_quotes_and_relations": {"constraint-missing-not-valid"},
    # Both new indexes are empty at first; readers do not wait for them, a save does for the second
    # that a table of 450,000 facts is read.
    "tools.0020_facts_from_open_data": {"require-concurrent-index-creation"},
}
"""What was written before the first release, when every table was empty. A later one stands here
with its reason: see docs/operations.md on migrations while the site is in use."""


@pytest.fixture(scope="module", autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


def lock_warnings(sql: str, path: Path) -> set[str]:
    """The rules about locks that the SQL of a migration violates."""
    path.write_text(sql)
    excluded = ",".join(TASTE)
    command = [SQUAWK, "--pg-version=15", "--reporter=json", f"--exclude={excluded}", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return {row["rule_name"] for row in json.loads(done.stdout)}


def test_no_migration_takes_a_lock_that_blocks_readers(tmp_path):
    found = {}
    for app, name in sorted(MigrationLoader(None).disk_migrations):
        if app in OURS:
            out = StringIO()
            call_command("sqlmigrate", app, name, stdout=out, no_color=True)
            found[f"{app}.{name}"] = lock_warnings(out.getvalue(), tmp_path / f"{app}.{name}.sql")
    assert len(found) > 5
    new = {name: rules - SETTLED.get(name, set()) for name, rules in found.items()}
    assert {name: rules for name, rules in new.items() if rules} == {}


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE tools_tool ADD COLUMN x integer NOT NULL;",
        "CREATE INDEX x ON tools_tool (name);",
        "ALTER TABLE tools_tool ADD CONSTRAINT x CHECK (name <> '');",
        "ALTER TABLE tools_tool ALTER COLUMN name TYPE text;",
        "ALTER TABLE tools_tool RENAME COLUMN name TO title;",
    ],
)
def test_the_check_finds_a_lock_that_blocks_readers(tmp_path, sql):
    assert lock_warnings(f"BEGIN;\n{sql}\nCOMMIT;\n", tmp_path / "x.sql")


@pytest.fixture(scope="module")
def site(_unblocked, tmp_path_factory) -> Iterator[Site]:
    with temporary_site(tmp_path_factory.mktemp("migrating"), full=False) as new_site:
        yield new_site


def second_connection(site: Site) -> "psycopg.Connection[tuple[object, ...]]":
    """A second connection to the site's database."""
    return psycopg.connect(site.url, autocommit=True)


WAITING = """SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND mode = 'AccessExclusiveLock' AND datname = current_database()"""
"""Only in this database: the suites that run at the same time lock tables in others."""


def wait_for_blocked_connection(observer: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Wait until a connection waits for an exclusive lock of a table."""
    for _ in range(2000):
        row = observer.execute(WAITING).fetchone()
        if row and row[0]:
            return
        observer.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("nobody ever waited")


def test_a_migration_that_waits_for_a_lock_does_not_block_readers(site):
    """A long query locks the table, `migrate` waits for it, then a reader queries the table."""
    read, errors = Event(), []

    def migrate_back() -> None:
        try:
            migrate("sessions", "zero")
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    with site.use(), second_connection(site) as long_query, second_connection(site) as reader:
        with long_query.transaction():
            long_query.execute("SELECT count(*) FROM django_session")
            migrating = Thread(target=migrate_back)
            migrating.start()
            wait_for_blocked_connection(reader)
            reader.execute("SET lock_timeout = '20s'")
            reader.execute("SELECT count(*) FROM django_session")  # while the long query runs
            read.set()
        migrating.join(300)
        assert not migrating.is_alive()
        assert errors == []
        tables = connection.introspection.table_names()
        assert "django_session" not in tables
        call_command("migrate", "sessions", verbosity=0)
        assert "django_session" in connection.introspection.table_names()
    assert read.is_set()


def test_a_migration_that_gets_no_lock_fails_with_a_sentence_and_changes_nothing(site):
    with site.use(), second_connection(site) as other, other.transaction():
        other.execute("LOCK TABLE django_session IN ACCESS SHARE MODE")
        with pytest.raises(CommandError, match=r"held a lock for 0\.5 seconds"):
            migrate("sessions", "zero", lock_timeout=0.1, patience=0.5)
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


def test_without_a_timeout_the_reader_would_have_waited(site):
    """The tests above rely on this: a reader waits behind a waiting exclusive lock."""
    with (
        site.use(),
        second_connection(site) as long_query,
        second_connection(site) as reader,
        second_connection(site) as observer,
    ):
        migrating = Thread(target=lambda: _drop_and_roll_back(site))
        with long_query.transaction():
            long_query.execute("SELECT count(*) FROM django_session")
            migrating.start()
            wait_for_blocked_connection(observer)
            reader.execute("SET lock_timeout = '200ms'")
            with pytest.raises(LockNotAvailable):
                reader.execute("SELECT count(*) FROM django_session")
        migrating.join(300)


def _drop_and_roll_back(site: Site) -> None:
    with second_connection(site) as other, other.transaction(force_rollback=True):
        other.execute("ALTER TABLE django_session ADD COLUMN unused integer")
