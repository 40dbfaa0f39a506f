"""An error is sent to Sentry with its place and without personal data."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import brotli
import pytest

from shipskip import __version__
from tests.stress_site import ROOT, environment

UNPACK = {"gzip": gzip.decompress, "br": brotli.decompress}
FAILING_REQUEST = """
from wsgiref.util import setup_testing_defaults
from shipskip.wsgi import application
from shipskip.home import robots

def fails(*args, **kwargs):
    theirs = "a-local-secret"
    raise RuntimeError("no mail for ada@example.org from 203.0.113.9")

robots.HttpResponse = fails
environ = {"PATH_INFO": "/robots.txt", "QUERY_STRING": "q=a-query", "REMOTE_ADDR": "203.0.113.9"}
environ |= {"HTTP_COOKIE": "sessionid=cookie-of-somebody", "HTTP_X_NOTE": "a-header"}
setup_testing_defaults(environ)
b"".join(application(environ, lambda status, headers: print(status[:3])))
import sentry_sdk
sentry_sdk.flush(20)
"""


@pytest.fixture
def sentry() -> Iterator[tuple[str, list[str]]]:
    """The DSN of a local Sentry, and the events that it received."""
    sent: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packing = self.headers.get("Content-Encoding", "")
            sent.append(UNPACK.get(packing, bytes)(body).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args) -> None:
            """Write nothing to the output of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://key@127.0.0.1:{server.server_port}/1", sent
    server.shutdown()
    server.server_close()


def test_an_error_is_sent_with_its_place_and_without_personal_data(sentry, tmp_path):
    dsn, sent = sentry
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}")
    env |= {"SENTRY_DSN": dsn}
    command = [sys.executable, "-c", FAILING_REQUEST]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "500"
    assert sent, done.stderr
    whole = "\n".join(sent)
    events = [json.loads(line) for line in whole.splitlines() if '"exception"' in line]
    ours = [row for row in events if row["exception"]["values"][-1]["type"] == "RuntimeError"]
    error = ours[0]["exception"]["values"][-1]
    assert error["value"] == "no mail for [address] from [address]"
    assert any(frame["function"] == "robots" for frame in error["stacktrace"]["frames"])
    assert ours[0]["request"] == {"method": "GET"}
    assert ours[0]["tags"]["request"]
    secrets = ("cookie-of", "203.0", "ada@", "a-query", "a-header", "a-local-secret", "SECRET_KEY")
    assert [word for word in secrets if word in whole] == []


FAILING_JOB_AND_HEALTH_CHECKS = """
from wsgiref.util import setup_testing_defaults
from shipskip.wsgi import application
from shipskip.jobs import runs
from shipskip.jobs.timetable import WORK
runs.report(WORK, "no room for ada@example.org", None)
for _ in range(3):
    environ = {"PATH_INFO": "/readyz", "HTTP_HOST": "127.0.0.1"}
    setup_testing_defaults(environ)
    b"".join(application(environ, lambda status, headers: None))
import sentry_sdk
sentry_sdk.flush(20)
"""


def test_a_failed_job_and_an_outage_of_the_database_are_one_event_each_whoever_notices_them(
    sentry, tmp_path
):
    """Two processes in turn, without a database that works."""
    dsn, sent = sentry
    (tmp_path / "db.sqlite3").mkdir()
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}")
    env |= {"SENTRY_DSN": dsn, "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", FAILING_JOB_AND_HEALTH_CHECKS]
    for _ in range(2):
        subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line for text in sent for line in text.splitlines() if '"event_id"' in line]
    events = [json.loads(line) for line in lines]
    job, outage = (row for row in events if "logentry" in row or "exception" in row)
    assert job["logentry"]["formatted"] == "The job work failed: no room for [address]"
    assert job["release"] == __version__
    assert outage["exception"]["values"][-1]["type"] == "OperationalError"
