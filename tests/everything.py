"""Runs the whole suite on every database and in the browser, and reports what could not run.

`python -m tests.everything [pytest arguments]`. Exit status 0 when all that ran passed; with
`CI=true` whatever could not run is a failure too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg
import pytest

PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
SERVERS = ("tests/deploy", "tests/newsletter/test_killed_sender.py")
"""The tests that start servers, and the test that kills senders. They run once, on PostgreSQL if
it is available, in a process beside the others: mostly they wait.
"""
BROWSER = "tests/browser"
LEFT_OUT = [f"--ignore={path}" for path in (*SERVERS, BROWSER)]
TWO = ("-n", "2")
"""Tests that commit run after all others, because a flush leaves no groups of the desk: so no
process may take work from the other, as those of the browser do.
"""
MARK = "both_databases"
"""The mark of tests that run on PostgreSQL too: what they prove may differ there."""
FONTS = Path("/usr/share/fonts/truetype/liberation")
"""As wide as the fonts of most phones and desktops. The browser's package alone brings none but
DejaVu, which is wider: pages then need more lines and screens than readers see.
"""
OTHER_ENGINES = {
    "WebKitWebDriver": "webkit2gtk-driver",
    "Xvfb": "xvfb",
    "firefox-esr": "firefox-esr",
}
"""The programs that the tests of WebKit and Firefox need, and their packages."""
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")


def install(package: str, what: str) -> None:
    """Install this package for `what` when root on Debian."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print(f"Installing {package} for {what} …", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        check=False,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )


def ready_program(program: str, package: str, what: str) -> str | None:
    """Why `what` cannot run without that program, or None; installs it when root on Debian."""
    if not shutil.which(program, path=PATH):
        install(package, what)
    found = shutil.which(program, path=PATH)
    return None if found else f"{program} is not installed (package {package})"


def ready_chromium() -> str | None:
    """Why the browser tests cannot run, or None. Chromium itself runs them where its shell is
    missing, in twice the processor time.
    """
    shell = "chromium-headless-shell"
    reason = ready_program(shell, shell, "the browser tests")
    if not FONTS.exists():
        install("fonts-liberation", "the browser tests")
    return None if shutil.which("chromium", path=PATH) else reason


def ready_engines() -> str | None:
    """Why the browser tests cannot run in WebKit and Firefox too, or None."""
    found = [
        ready_program(program, package, "the browser tests in other engines")
        for program, package in OTHER_ENGINES.items()
    ]
    return "; ".join(filter(None, found)) or None


def ready_postgres() -> str | None:
    """Why the suite cannot run on PostgreSQL, or None."""
    try:
        psycopg.connect(POSTGRES, connect_timeout=30).close()
    except psycopg.Error as error:
        return f"no PostgreSQL at TEST_POSTGRES_URL: {str(error).splitlines()[0]}"
    return None


@dataclass(frozen=True)
class Suite:
    """One run of pytest, on one database."""

    title: str
    database_url: str
    paths: tuple[str, ...]
    arguments: tuple[str, ...] = ()

    def run(self, output: IO[str] | None = None) -> int:
        """Run it, printing to `output` or to the terminal; pytest's exit status."""
        print(f"\n=== {self.title} ===", file=output, flush=True)
        shown = ("-rs", "--durations", "10")
        return subprocess.run(
            [sys.executable, "-m", "pytest", *self.paths, *shown, *self.arguments, *sys.argv[1:]],
            env=os.environ | {"DATABASE_URL": self.database_url},
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            check=False,
        ).returncode


def files_with_mark() -> tuple[str, ...]:
    """The files with marked tests: collecting all others takes 8 s of processor time a process."""
    left_out = tuple(map(Path, (*SERVERS, BROWSER)))
    return tuple(
        str(path)
        for path in sorted(Path("tests").rglob("test_*.py"))
        if MARK in path.read_text() and not any(path.is_relative_to(each) for each in left_out)
    )


def run_beside(beside: Iterable[Suite], suites: Iterable[Suite]) -> list[str]:
    """Run `suites` one after another, and those `beside` at the same time; what these print comes
    at the end. Returns the titles of those that failed.
    """

    def run(suites: Iterable[Suite], output: IO[str] | None = None) -> list[str]:
        return [suite.title for suite in suites if suite.run(output) != pytest.ExitCode.OK]

    with tempfile.TemporaryFile("w+") as output, ThreadPoolExecutor(1) as pool:
        others = pool.submit(run, beside, output)
        failed = run(suites) + others.result()
        output.seek(0)
        print(output.read(), flush=True)
    return failed


def main() -> int:
    """Run all suites; the process's exit status."""
    missing: list[str] = []
    if reason := ready_program("nginx", "nginx", "the tests of nginx"):
        missing.append(f"the tests of nginx: {reason}")
    if no_postgres := ready_postgres():
        missing.append(f"the suite on PostgreSQL: {no_postgres}")
    if no_chromium := ready_chromium():
        missing.append(f"the browser tests: {no_chromium}")
    if reason := ready_engines():
        missing.append(f"the browser tests in other engines: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        sqlite, windows, servers = (
            f"sqlite:///{Path(folder) / name}.sqlite3" for name in ("suite", "browser", "servers")
        )
        suites = [Suite("SQLite", sqlite, ("tests",), (*TWO, *LEFT_OUT))]
        beside = [Suite("Servers", servers if no_postgres else POSTGRES, SERVERS)]
        if not no_postgres:
            beside.append(Suite("PostgreSQL", POSTGRES, files_with_mark(), (*TWO, "-m", MARK)))
        if not no_chromium:
            suites.append(
                Suite("Chromium, on SQLite", windows, (BROWSER,), (*TWO, "--dist", "worksteal"))
            )
        failed = run_beside(beside, suites)
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
