"""What commands say of a database that they cannot use, with real errors of SQLite."""

import sqlite3

import pytest
from django.db.utils import DatabaseError

from shipskip.operations.unusable_database import sentence
from tests.management_commands import environment, manage

DAMAGED = b"no database, but some other text\n" * 100


@pytest.mark.parametrize(
    ("file", "script", "said"),
    [
        ("empty?mode=ro", "CREATE TABLE a (b)", "cannot write the database"),
        ("empty", "PRAGMA max_page_count = 1; CREATE TABLE a (b)", "is full. Make room"),
        ("locked", "BEGIN IMMEDIATE", "Another program keeps the database"),
        ("damaged", "SELECT * FROM sqlite_master", "is damaged. Bring a backup back"),
        ("none/empty", "", "cannot write the database"),
        ("empty", "SELECT nothing", None),
    ],
)
def test_a_database_that_cannot_be_used_is_explained_and_a_fault_of_the_code_is_not(
    file, script, said, tmp_path
):
    (tmp_path / "empty").touch()
    (tmp_path / "damaged").write_bytes(DAMAGED)
    other = sqlite3.connect(tmp_path / "locked")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.DatabaseError) as error:
        sqlite3.connect(f"file:{tmp_path}/{file}", uri=True, timeout=0).executescript(script)
    raised = DatabaseError()
    raised.__cause__ = error.value
    found = sentence(raised)
    assert (said in (found or "")) if said else (found is None)


def test_a_command_ends_with_that_sentence_alone(tmp_path):
    path = tmp_path / "db.sqlite3"
    path.write_bytes(DAMAGED)
    ended = manage(environment(f"sqlite:///{path}"), "migrate", must=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"The database {path} is damaged. Bring a backup back: manage.py restore FILE --replace"
    ]
