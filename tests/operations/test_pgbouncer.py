"""Behind Debian's PgBouncer: by session the site works, by transaction it says what to do."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError
from django.db import connection
from django.test import Client

from shipskip.jobs.lock import job_lock
from shipskip.jobs.timetable import WORK
from shipskip.operations.management.commands import prepare
from shipskip.operations.observability import health
from shipskip.operations.settings_doctor import server_checks
from shipskip.web.postgresql import pooler
from tests.deploy.production_site import Program
from tests.free_port import free_port, is_listening
from tests.postgres import address, migrated_template, new_database
from tests.shared_database import use
from tests.waiting import wait_until

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pooler"),
    pytest.mark.skipif(not PGBOUNCER, reason="pgbouncer is not installed"),
    pytest.mark.both_databases,
]


@contextmanager
def behind_pgbouncer(folder: Path, mode: str) -> Iterator[None]:
    """A migrated database as the default one, behind PgBouncer in this mode."""
    with new_database(migrated_template()) as name:
        server, port = urlsplit(address(name)), free_port()
        inside = f"host={server.hostname} port={server.port or 5432}"
        if server.password:
            inside += f" password={server.password}"
        (folder / "users").write_text(f'"{server.username}" ""\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n{name} = {inside}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nauth_type = trust\nauth_file = {folder}/users\n"
            f"pool_mode = {mode}\nunix_socket_dir =\nuser = nobody\n"
        )
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
        with Program([str(PGBOUNCER), str(folder / "pgbouncer.ini")], folder) as program:
            wait_until(lambda: is_listening(port), program.last_lines)
            with use(f"postgres://{server.username}@127.0.0.1:{port}/{name}"):
                yield


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    health.is_pooled_wrongly.cache_clear()
    with django_db_blocker.unblock():
        yield
    health.is_pooled_wrongly.cache_clear()


def test_by_session_the_site_is_ready_and_its_locks_hold(tmp_path):
    with behind_pgbouncer(tmp_path, "session"):
        assert Client().get("/readyz").json()["database"] == "ok"
        assert pooler.ADVICE not in list(server_checks.database())
        prepare.migrate()
        with job_lock(WORK) as held:
            assert held


def test_by_transaction_everything_that_would_begin_says_what_to_do(tmp_path):
    with behind_pgbouncer(tmp_path, "transaction"):
        response = Client().get("/readyz")
        assert response.status_code == 503
        assert response.json()["database"] == pooler.ADVICE
        assert pooler.ADVICE in list(server_checks.database())
        with pytest.raises(CommandError, match="pool_mode = session"):
            prepare.migrate()
