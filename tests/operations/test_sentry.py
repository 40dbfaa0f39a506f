"""An error is sent to Sentry with its place and without personal data."""

import gzip
import json
import sys
from collections.abc import Iterator

import brotli
import pytest

from shipskip import __version__
from tests.http_server import Handler, running
from tests.management_commands import environment, ran

UNPACK = {"gzip": gzip.decompress, "br": brotli.decompress}
FAULTS = """
from wsgiref.util import setup_testing_defaults
from shipskip.wsgi import application
from shipskip.home import robots
from shipskip.jobs import runs
from shipskip.jobs.timetable import WORK

def fails(*args, **kwargs):
    theirs = "a-local-secret"
    raise RuntimeError("no mail for ada@example.org from 203.0.113.9")

def request(path):
    environ = {"PATH_INFO": path, "QUERY_STRING": "q=a-query", "REMOTE_ADDR": "203.0.113.9"}
    environ |= {"HTTP_COOKIE": "sessionid=cookie-of-somebody", "HTTP_X_NOTE": "a-header"}
    setup_testing_defaults(environ)
    b"".join(application(environ, lambda status, headers: print(status[:3])))

robots.HttpResponse = fails
request("/robots.txt")
runs.report(WORK, "no room for ada@example.org", None)
for _ in range(3):
    request("/readyz")
import sentry_sdk
sentry_sdk.flush(20)
"""


@pytest.fixture
def sentry() -> Iterator[tuple[str, list[str]]]:
    """The DSN of a local Sentry, and the events that it received."""
    sent: list[str] = []

    class Receiver(Handler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packing = self.headers.get("Content-Encoding", "")
            sent.append(UNPACK.get(packing, bytes)(body).decode())
            self.send_response(200)
            self.end_headers()

    with running(Receiver) as server:
        yield f"http://key@127.0.0.1:{server.server_port}/1", sent


def test_faults_are_sent_with_their_place_without_personal_data_and_each_outage_once(
    sentry, tmp_path
):
    """Without a database that works. A file remembers the outage, for all processes."""
    dsn, sent = sentry
    (tmp_path / "db.sqlite3").mkdir()
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}")
    env |= {"SENTRY_DSN": dsn, "DATA_DIR": str(tmp_path)}
    done = ran(sys.executable, "-c", FAULTS, env=env)
    assert done.stdout.split() == ["500", "503", "503", "503"]
    assert (tmp_path / "var/outages").is_dir()
    whole = "\n".join(sent)
    lines = [json.loads(line) for line in whole.splitlines() if '"event_id"' in line]
    page, job, outage = (row for row in lines if "logentry" in row or "exception" in row)
    error = page["exception"]["values"][-1]
    assert (error["type"], error["value"]) == (
        "RuntimeError",
        "no mail for [address] from [address]",
    )
    assert any(frame["function"] == "robots" for frame in error["stacktrace"]["frames"])
    assert page["request"] == {"method": "GET"}
    assert page["tags"]["request"]
    assert job["logentry"]["formatted"] == "The job work failed: no room for [address]"
    assert job["release"] == __version__
    assert outage["exception"]["values"][-1]["type"] == "OperationalError"
    secrets = ("cookie-of", "203.0", "ada@", "a-query", "a-header", "a-local-secret", "SECRET_KEY")
    assert [word for word in secrets if word in whole] == []
