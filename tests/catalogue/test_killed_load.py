"""A load that is killed while it writes leaves nothing."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from tests.catalogue import big
from tests.migrated_database import migrated_file

TABLES = ("tools_tool", "tools_historicaltool", "reviews_take", "tools_category")


def rows(database: Path) -> list[int]:
    """The numbers of rows, read beside the load."""
    with sqlite3.connect(database) as connection:
        return [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES]  # noqa: S608


def test_a_load_that_is_killed_while_it_writes_leaves_nothing(tmp_path, django_db_blocker):
    database, document = tmp_path / "site.sqlite3", tmp_path / "catalogue.json"
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), database)
    big.write(document, 1_000, 4)
    env = os.environ | {"DATABASE_URL": f"sqlite:///{database}"}
    command = [sys.executable, "manage.py", "load_catalogue", str(document)]
    journal = database.with_name("site.sqlite3-wal")
    load = subprocess.Popen(command, env=env)
    until = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size > 100_000):
        assert load.poll() is None
        assert time.monotonic() < until
        time.sleep(0.002)
    load.send_signal(signal.SIGKILL)
    assert load.wait() == -signal.SIGKILL
    assert rows(database) == [0] * len(TABLES)
    big.write(document, 20, 4)
    subprocess.run(command, env=env, check=True)
    assert rows(database)[:3] == [20, 20, 80]
