"""What commands say of a database that they cannot use, with real errors of SQLite."""

import sqlite3

import pytest
from django.db.utils import DatabaseError

from shipskip.operations.unusable_database import sentence
from tests.management_commands import environment, manage


def read_only(path):
    sqlite3.connect(path).close()
    sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("CREATE TABLE a (b)")


def full(path):
    database = sqlite3.connect(path)
    database.execute("PRAGMA max_page_count = 1")
    database.execute("CREATE TABLE a (b)")


def locked(path):
    first, second = sqlite3.connect(path), sqlite3.connect(path, timeout=0)
    first.execute("BEGIN IMMEDIATE")
    second.execute("BEGIN IMMEDIATE")


def damaged(path):
    path.write_bytes(b"no database, but some other text\n" * 100)
    sqlite3.connect(path).execute("SELECT * FROM sqlite_master")


def without_fault(path):
    sqlite3.connect(path).execute("SELECT nothing")


def in_no_folder(path):
    sqlite3.connect(path / "none" / "db.sqlite3")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (read_only, "cannot write the database"),
        (full, "is full. Make room"),
        (locked, "Another program keeps the database"),
        (damaged, "is damaged. Bring a backup back"),
        (in_no_folder, "cannot write the database"),
        (without_fault, None),
    ],
)
def test_a_database_that_cannot_be_used_is_explained_and_a_fault_of_the_code_is_not(
    fault, said, tmp_path
):
    with pytest.raises(sqlite3.DatabaseError) as error:
        fault(tmp_path / "db.sqlite3")
    raised = DatabaseError()
    raised.__cause__ = error.value
    found = sentence(raised)
    assert (said in (found or "")) if said else (found is None)


def test_a_command_ends_with_that_sentence_alone(tmp_path):
    path = tmp_path / "db.sqlite3"
    path.write_bytes(b"no database, but some other text\n" * 100)
    ended = manage(environment(f"sqlite:///{path}"), "migrate", must=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"The database {path} is damaged. Bring a backup back: manage.py restore FILE --replace"
    ]
