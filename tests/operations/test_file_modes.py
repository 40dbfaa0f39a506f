"""Only their owner can read the files of the site, whichever command writes them."""

import os
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

from shipskip.operations.management.commands.prepare import NGINX_PAGES, write_nginx_pages
from tests.stress_site import ROOT, environment


def modes(folder: Path) -> dict[str, int]:
    """The permissions of the files in a folder, by name."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_a_database_that_a_command_creates_is_private_and_so_is_its_log(tmp_path):
    env = environment(f"sqlite:///{tmp_path / 'site.sqlite3'}")
    command = [".venv/bin/python", "manage.py", "showmigrations"]
    subprocess.run(command, env=env, cwd=ROOT, umask=0o022, check=True, capture_output=True)
    with closing(sqlite3.connect(tmp_path / "site.sqlite3")) as file:
        file.execute("CREATE TABLE row (id)")
        found = modes(tmp_path)
    assert found.keys() == {"site.sqlite3", "site.sqlite3-wal", "site.sqlite3-shm"}
    assert set(found.values()) == {0o600}


def test_nginx_can_read_its_error_page(tmp_path):
    before = os.umask(0o077)
    try:
        write_nginx_pages(tmp_path / "var/front")
    finally:
        os.umask(before)
    files = modes(tmp_path / "var/front")
    assert files.keys() == {*(f"{name}.html" for name in NGINX_PAGES), "away.css"}
    assert set(files.values()) == {0o644}
    assert stat.S_IMODE((tmp_path / "var/front").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "var").stat().st_mode) == 0o711
