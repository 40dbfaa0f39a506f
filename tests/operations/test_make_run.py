"""What `make run` says on a machine that lacks something, and that it works once that is there."""

import os
import shutil
import socket
import sys
import sysconfig

import pytest

from tests.free_port import free_port
from tests.management_commands import ran
from tests.source_files import ROOT


@pytest.fixture
def folder(tmp_path):
    """A folder with the Makefile and a lock file of a package that cannot be installed."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").write_text(f"no-such-package==1 --hash=sha256:{'0' * 64}\n")
    return tmp_path


def make(folder, *arguments, **env):
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    own = outer | {"PORT": str(free_port())} | env
    ended = ran("make", "run", *arguments, env=own, cwd=folder)
    assert ended.returncode == 2
    return ended.stdout + ended.stderr


def python(folder, line):
    """A Python whose command `-c` runs that line of shell first."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\n{line}\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return f"PYTHON={path}"


def test_a_python_that_is_missing_old_or_without_venv_is_told_and_leaves_nothing(folder):
    assert "There is no python9.9." in make(folder, "PYTHON=python9.9")
    old = python(folder, "case \"$2\" in *version_info*) echo 'this is 3.6.9' >&2; exit 1;; esac")
    assert "this is 3.6.9" in make(folder, old, LC_ALL="C")
    (rule,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "(3, 11)" in line]
    assert rule.isascii()
    without = python(folder, 'case "$2" in *ensurepip*) exit 1;; esac')
    assert "apt-get install python3-venv" in make(folder, without)
    assert not (folder / ".venv").exists()


def test_a_half_made_venv_is_made_again_and_missing_packages_are_explained(folder):
    """With pip of the tests: making one of its own takes two seconds."""
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").touch()
    made = f"ln -sf {sys.executable} .venv/bin/python; touch .venv/bin/pip"
    quick = python(folder, f'case "$*" in "-m venv --clear .venv") {made}; exit;; esac')
    packages = sysconfig.get_path("purelib")
    said = make(folder, quick, PIP_NO_INDEX="1", PYTHONPATH=packages)
    assert "The packages were not installed. Is the package registry reachable" in said
    assert len(said.splitlines()) < 6
    assert "no-such-package" in (folder / ".venv/install.log").read_text()


@pytest.mark.parametrize("junk", ["", "abc", "99999"])
def test_a_port_that_cannot_be_used_is_told_before_anything_else(folder, junk):
    binaries = folder / ".venv/bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(sys.executable)
    (binaries / "pip").touch()
    (folder / ".venv/.installed").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = junk or str(server.getsockname()[1])
        said = make(folder, PORT=port)
    assert f"Port {port} of 127.0.0.1 cannot be used" in said
    assert "http://" not in said
