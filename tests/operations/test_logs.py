"""Log lines contain the id of the request and no personal data."""

import io
import json
import logging

import pytest
from django.db import OperationalError
from django.test import Client

from shipskip.operations.observability.logs import (
    JsonLines,
    TextLines,
    WithoutTraceback,
    request_id,
    scrubbed,
)
from shipskip.web.postgresql.waits import NoAnswerError
from tests import addresses

pytestmark = pytest.mark.django_db

PEOPLE = {
    "ada.lovelace+news@mail.example.org": "[address]",
    "refused <ada@example.org>: unknown": "refused <[address]>: unknown",
    "from 203.0.113.9, port 80": "from [address], port 80",
    "from 2001:db8::1 and fe80::a:b": "from [address] and [address]",
    "Key (address)=(a@b.example) exists": "Key (address)=([address]) exists",
    "GET /ada%40example.org/ HTTP/1.1": "GET [address]/ HTTP/1.1",
    "Forbidden (Origin): /tools/?q=a+word&p=2": "Forbidden (Origin): /tools/?[query]",
    "from https://a.example/b%3Fq=word does": "from https://a.example/b?[query] does",
    "/newsletter/leave/Ab-3.junk/x": "/newsletter/leave/[key]/x",
    "//newsletter/forget//Ab-3 gone": "//newsletter/forget//[key] gone",
    "/corrections/follow/0f3a.Ab-3/": "/corrections/follow/[key]/",
    "/preview/tools/WzEsImFi:1abc:Xyz_9/": "/preview/tools/[key]/",
    f"/newsleter/forget/{'aB-4' * 8}/": "/newsleter/forget/[key]/",
}
NOBODY = [
    "at 09:30:00 sharp",
    "version 5.2.19",
    "tools/views.py:12",
    "10:30",
    "café @ noon",
    "What? /tools/ or (?:words)",
    "/newsletter/2026-05-01/",
    "/compare/a-tool-with-a-long-name-vs-another-tool-with-a-long-name/",
]


def test_personal_data_is_replaced_by_a_placeholder_and_other_text_stays():
    for text, scrubbed_text in (PEOPLE | dict(zip(NOBODY, NOBODY, strict=True))).items():
        assert scrubbed(text) == scrubbed_text


def test_every_logger_uses_our_formatter():
    """A logger with its own handler would write personal data."""
    found = {name: logging.getLogger(name) for name in logging.root.manager.loggerDict}
    assert {"django.server", "_granian", "axes.handlers.database"} <= found.keys()
    own = {
        name
        for name, log in found.items()
        if not log.propagate
        or any(not isinstance(handler, logging.NullHandler) for handler in log.handlers)
    }
    assert own <= {"sentry_sdk.errors"}  # writes only in the debug mode of the library


@pytest.fixture
def lines():
    """A function that returns the logged lines, as JSON and as text."""
    files = {form: io.StringIO() for form in (JsonLines, TextLines)}
    handlers = [logging.StreamHandler(file) for file in files.values()]
    log, level = logging.getLogger(), logging.getLogger("shipskip.requests").level
    for form, handler in zip(files, handlers, strict=True):
        handler.setFormatter(form())
        handler.addFilter(WithoutTraceback())
        log.addHandler(handler)
    logging.getLogger("shipskip.requests").setLevel(logging.INFO)
    yield lambda: [files[form].getvalue().splitlines() for form in (JsonLines, TextLines)]
    logging.getLogger("shipskip.requests").setLevel(level)
    for handler in handlers:
        log.removeHandler(handler)


def test_a_request_is_one_line_with_its_id_and_without_its_query(client, lines):
    addresses.sample_site()
    client.get("/tools/?q=secret+words")
    client.cookies["visitor"] = "cookie-of-somebody"
    response = client.get("/me/", REMOTE_ADDR="203.0.113.9", headers={"user-agent": "Browser/1"})
    objects, texts = lines()
    first, second = (json.loads(line) for line in objects)
    assert (first["method"], first["path"], first["status"]) == ("GET", "/tools/", 200)
    assert isinstance(first["ms"], float)
    assert first["at"].endswith("Z")
    assert second["request"] == response["X-Request-ID"]
    for line in [*objects, *texts]:
        assert not any(word in line for word in ("secret", "cookie-of", "203.0", "Browser"))


def test_a_fault_is_logged_with_its_place_and_a_silent_postgresql_in_one_line(
    calm_client, lines, monkeypatch
):
    def fail_with(error: Exception, cause: Exception | None = None) -> None:
        def fails(*args, **more):
            raise error from cause

        monkeypatch.setattr("shipskip.home.views.often_compared", fails)

    fail_with(OperationalError("silent"), NoAnswerError("silent"))
    assert calm_client.get("/").status_code == 503
    objects, texts = lines()
    assert not any("fault" in json.loads(line) for line in objects)
    assert len([line for line in texts if "Service Unavailable" in line]) == 1
    assert not any("Traceback" in line for line in texts)
    fail_with(RuntimeError("no mail for ada@example.org from 203.0.113.9"))
    response = calm_client.get("/", headers={"cookie": "sessionid=of-somebody"})
    assert response.status_code == 500
    objects, texts = lines()
    error = next(row for row in map(json.loads, objects) if "fault" in row)
    assert error["request"] == response["X-Request-ID"]
    assert "RuntimeError: no mail for [address] from [address]" in error["fault"]
    assert "views.py" in error["fault"]
    whole = "\n".join([*objects, *texts])
    assert not any(word in whole for word in ("ada@", "203.0", "of-somebody"))


def test_only_trusted_proxies_give_a_request_id_and_only_private_answers_have_one(client, settings):
    addresses.sample_site()
    for path in addresses.PUBLIC.values():
        assert "X-Request-ID" not in client.get(path), path
    assert "X-Request-ID" in client.get("/unknown/")
    assert len({Client().get("/me/")["X-Request-ID"] for _ in range(5)}) == 5
    assert request_id.get() == ""
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]
    for given, sender, is_accepted in (
        ("a1b2c3d4e5f6", "127.0.0.1", True),
        ("a1b2c3d4e5f6", "192.0.2.1", False),
        ("short", "127.0.0.1", False),
        ('x" injected="1', "127.0.0.1", False),
        ("a" * 65, "127.0.0.1", False),
    ):
        answer = client.get("/me/", REMOTE_ADDR=sender, headers={"x-request-id": given})
        assert (answer["X-Request-ID"] == given) is is_accepted, (given, sender)
        assert answer["X-Request-ID"]


def test_a_suspicious_request_is_one_line_without_a_traceback(client, lines):
    requests = {"/tools/": "evil.example", "/tools/" + "b" * 20_000: "localhost"}  # too long
    for number, (path, host) in enumerate(requests.items(), 1):
        assert client.get(path, headers={"host": host}).status_code == 400
        objects, texts = lines()
        told = [line for line in texts if "host" in line.lower() or "redirect" in line]
        assert len(told) == number
        assert not any("Traceback" in line for line in [*objects, *texts])
