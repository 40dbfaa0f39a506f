"""Runs the whole suite on every database and in the browser, and says loudly what could not run.

`python -m tests.everything [pytest arguments]`. Exit status 0 when all that ran passed; with
`CI=true` whatever could not run is a failure too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
ASKING_NONE = [
    f"--ignore=tests/{name}"
    for name in (
        *("house_rules.py", "html", "observatory", "test_bundled.py"),
        *("deploy/test_server.py", "deploy/test_recipes.py"),
        *("junk/test_headers.py", "page_cache/test_two_visitors.py"),
        "web/test_security_headers.py",
    )
]
"""What asks no database, brings its own, or asks all of them the same, and so runs once."""
FRONT = "--ignore=tests/deploy/test_front.py"
"""The front runs once as well, before the database that larger sites have."""
WHOLE_FILES = ("--dist", "loadfile")
"""The tests of one file share a window of the browser."""
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


def ready_program(program: str, package: str, what: str) -> str | None:
    """Why `what` cannot run without that program, or None; installs it when root on Debian."""
    if shutil.which(program, path=PATH):
        return None
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {package} for {what} …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
            check=False,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
    found = shutil.which(program, path=PATH)
    return None if found else f"{program} is not installed (package {package})"


def ready_chromium() -> str | None:
    """Why the browser tests cannot run, or None."""
    return ready_program("chromium", "chromium", "the browser tests")


def ready_front() -> str | None:
    """Why the tests of the front cannot run, or None."""
    nginx = ready_program("nginx", "nginx", "the tests of the front")
    return nginx or ready_program("redis-server", "redis-server", "the tests of the front")


def ready_postgres() -> str | None:
    """Why the suite cannot run on PostgreSQL, or None."""
    try:
        psycopg.connect(POSTGRES, connect_timeout=3).close()
    except psycopg.Error as error:
        return f"no PostgreSQL at TEST_POSTGRES_URL: {str(error).splitlines()[0]}"
    return None


def run_suite(title: str, database_url: str, *arguments: str) -> bool:
    """Run pytest against one database; whether all of it passed."""
    print(f"\n=== {title} ===", flush=True)
    environment = os.environ | {"DATABASE_URL": database_url}
    command = [sys.executable, "-m", "pytest", "tests", "-rs", *arguments, *sys.argv[1:]]
    return subprocess.run(command, env=environment, check=False).returncode == 0


def main() -> int:
    """Run all suites; the process's exit status."""
    failed, missing = [], []
    if reason := ready_front():
        missing.append(f"the tests of the front: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        sqlite = f"sqlite:///{Path(folder) / 'suite.sqlite3'}"
        if not run_suite("SQLite", sqlite, "-m", "not browser", "-n", "2", FRONT):
            failed.append("the suite on SQLite")
        if reason := ready_postgres():
            missing.append(f"the suite on PostgreSQL: {reason}")
        elif not run_suite("PostgreSQL", POSTGRES, "-m", "not browser", "-n", "2", *ASKING_NONE):
            failed.append("the suite on PostgreSQL")
        if reason := ready_chromium():
            missing.append(f"the browser tests: {reason}")
        elif not run_suite("Chromium, on SQLite", sqlite, "-m", "browser", "-n", "2", *WHOLE_FILES):
            failed.append("the browser tests")
    print("\n=== In short ===")
    for line in failed:
        print(f"FAILED   {line}")
    for line in missing:
        print(f"NOT RUN  {line}")
    if not failed and not missing:
        print("Everything ran and passed.")
    return 1 if failed or (missing and os.environ.get("CI") == "true") else 0


if __name__ == "__main__":
    sys.exit(main())
