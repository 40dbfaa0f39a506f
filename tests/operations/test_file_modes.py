"""Only their owner can read the files of the site, whichever command writes them."""

import os
import re
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from shipskip.operations.management.commands.prepare import NGINX_PAGES, write_nginx_pages
from tests.management_commands import environment, manage
from tests.source_files import ROOT


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
    names = {f"{name}.{kind}" for name in NGINX_PAGES for kind in ("html", "json")}
    assert files.keys() == names | {"away.css"}
    assert set(files.values()) == {0o644}
    assert stat.S_IMODE((tmp_path / "var/front").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "var").stat().st_mode) == 0o711


NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to another user")
def test_a_command_refuses_another_user_than_the_owner_of_the_data(tmp_path):
    var = tmp_path / "var"
    var.mkdir()
    os.chown(var, NOBODY, NOBODY)
    env = environment(f"sqlite:///{tmp_path / 'site.sqlite3'}") | {"DATA_DIR": str(tmp_path)}
    refused = manage(env, "backup", must=False)
    assert refused.returncode == 1
    assert f"{var} belongs to nobody, who could not use what root writes there." in refused.stderr
    assert re.search(r"\n  \S+/deploy/manage backup\n$", refused.stderr)
    assert list(var.iterdir()) == []
    os.chown(var, 0, 0)
    (tmp_path / "site.sqlite3").touch()
    os.chown(tmp_path / "site.sqlite3", NOBODY, NOBODY)
    assert "site.sqlite3 belongs to nobody" in manage(env, "migrate", must=False).stderr
