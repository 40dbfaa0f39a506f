"""A request waits for PostgreSQL for seconds at most; commands and desk forms have no limit."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from socket import socket
from time import monotonic
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection, connections
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from shipskip.page_cache.content_version import current_version
from shipskip.web.connections import connection_settings
from shipskip.web.postgresql import waits
from shipskip.web.postgresql.base import DatabaseWrapper
from shipskip.web.postgresql.waits import WaitLimit, is_silent, limited
from tests import factories as make

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite cannot fall silent"),
    pytest.mark.django_db,
    pytest.mark.both_databases,
]
MANY = 100_000
"""Tries of what succeeds after a few on an idle machine."""

ENDLESS = "SELECT pg_sleep(600)"
RUNNING = f"""FROM pg_stat_activity WHERE state = 'active' AND query = '{ENDLESS}'
    AND datname = current_database()"""
"""Only in this database: the suites of others may use the same server."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Waits are a tenth as long; the connections of a test end with it."""
    monkeypatch.setattr(waits, "MAX_WAIT", 0.2)
    monkeypatch.setattr(waits, "SILENCE", 0.08)
    monkeypatch.setattr(waits, "CANCEL_TIMEOUT", 60)
    yield
    run(f"SELECT pg_terminate_backend(pid) {RUNNING}")
    look_up()


@contextmanager
def patience() -> Iterator[None]:
    """In it PostgreSQL, which is well, may be as slow as on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waits, "MAX_WAIT", 60)
        patch.setattr(waits, "SILENCE", 60)
        yield


def run(sql: str) -> list[tuple[Any, ...]]:
    """The rows that a statement returns, on a connection of its own."""
    with closing(connections.create_connection("default")) as own, own.cursor() as cursor:
        cursor.execute(sql)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def look_up() -> None:
    """Look up the content version: any answer ends a silence of PostgreSQL."""
    with patience(), limited(WaitLimit.LOOK_UP):
        run("SELECT 1")


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that sets the clock of the waits forward."""
    return lambda: monkeypatch.setattr(waits, "monotonic", lambda: monotonic() + 3600)


def test_without_a_limit_a_slow_statement_ends_by_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(waits, "MAX_WAIT", 0)
    monkeypatch.setattr(waits, "SILENCE", 0)
    assert run("SELECT pg_sleep(0.1)")


def test_a_look_up_cancels_its_statement_and_postgresql_stops_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(waits, "SILENCE", 60)
    with limited(WaitLimit.LOOK_UP), pytest.raises(OperationalError, match="no answer after"):
        run(ENDLESS)
    assert any(not run(f"SELECT 1 {RUNNING}") for _ in range(MANY)), "PostgreSQL still runs it"


def test_a_request_fails_at_once_while_postgresql_is_silent_and_an_error_is_an_answer(
    later: Callable[[], None],
):
    with limited(WaitLimit.REQUEST):
        with pytest.raises(DatabaseError, match="no_such_table"):
            run("SELECT 1 FROM no_such_table")
        later()
        assert not is_silent()
        with pytest.raises(OperationalError, match="fell silent"):
            run(ENDLESS)
        assert is_silent()
        with pytest.raises(OperationalError, match="no request waits"):
            run("SELECT 1")
    look_up()
    with patience(), limited(WaitLimit.REQUEST):
        assert run("SELECT 1") == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_a_commit_without_an_answer_is_cancelled_as_well():
    """A commit raises the content version, and waits for a transaction that has locked its row."""
    make.category()
    other = connections.create_connection("default")
    with closing(other), other.cursor() as cursor:
        other.set_autocommit(False)
        cursor.execute("UPDATE web_contentversion SET number = number")
        with pytest.raises(OperationalError, match="fell silent"), limited(WaitLimit.REQUEST):
            make.category()
    connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "/tools/alpha/vote/", 303), ("GET", "/readyz", 200)]
)
def test_a_process_that_has_served_no_page_works_again_with_postgresql(
    monkeypatch: pytest.MonkeyPatch,
    client: Client,
    later: Callable[[], None],
    method: str,
    path: str,
    status: int,
):
    make.tool(slug="alpha")
    terminated = pytest.raises(OperationalError, match="terminating")
    with terminated, patience(), limited(WaitLimit.REQUEST):
        run("SELECT pg_terminate_backend(pg_backend_pid())")
    connection.close()
    later()
    assert is_silent()
    monkeypatch.setattr(current_version, "in_background", True)
    form = "application/x-www-form-urlencoded"
    answers = (client.generic(method, path, "choice=ship", form) for _ in range(MANY))
    try:
        assert any(answer.status_code == status for answer in answers)
    finally:
        current_version.stop()


def test_the_look_up_waits_for_a_connection_as_long_as_the_pool_tries():
    """With a second of its own it kept requests refused after PostgreSQL was back."""
    with socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = connection.settings_dict | {"HOST": "127.0.0.1", "PORT": closed.getsockname()[1]}
        url["ENGINE"], url["OPTIONS"] = "django.db.backends.postgresql", {}
        away = DatabaseWrapper(connection_settings(url), alias="away")
        try:
            with pytest.raises(OperationalError, match=r"0\.50 sec"), limited(WaitLimit.LOOK_UP):
                away.ensure_connection()
        finally:
            away.close_pool()
            waits._answered()


def test_all_requests_have_a_time_limit_except_the_forms_of_the_desk():
    found = []

    def answer(request: HttpRequest) -> HttpResponse:
        found.append(waits.current_limit.get())
        return HttpResponse()

    paths = ("/tools/alpha/vote/", "/admin/exchange/")
    for request in (RequestFactory().generic(m, path) for path in paths for m in ("GET", "POST")):
        waits.limit_requests(answer)(request)
    assert found == [WaitLimit.REQUEST, WaitLimit.REQUEST, WaitLimit.REQUEST, WaitLimit.NONE]
