"""A load that is killed while it writes leaves nothing."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from tests.catalogue.documents import as_file, large, load
from tests.migrated_database import migrated_file
from tests.shared_database import use
from tools.models import Tool

TABLES = ("tools_tool", "tools_historicaltool", "reviews_take", "tools_category")


def test_a_load_that_is_killed_while_it_writes_leaves_nothing(tmp_path, django_db_blocker):
    database, document = tmp_path / "site.sqlite3", tmp_path / "catalogue.json"
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), database)
    document.write_text(json.dumps(large(40, 4, body="It reads. " * 1_999)))
    env = os.environ | {"DATABASE_URL": f"sqlite:///{database}"}
    journal = database.with_name("site.sqlite3-wal")
    killed = subprocess.Popen([sys.executable, "manage.py", "load_catalogue", document], env=env)
    until = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size > 100_000):
        assert killed.poll() is None
        assert time.monotonic() < until
        time.sleep(0.002)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    with sqlite3.connect(database) as reader:
        for table in TABLES:
            assert reader.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608
    with django_db_blocker.unblock(), use(f"sqlite:///{database}"):
        load(as_file(large(20)))
        assert Tool.objects.count() == 20
