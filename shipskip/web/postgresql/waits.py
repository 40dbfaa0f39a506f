"""Client-side time-outs: how long a request waits for PostgreSQL.

A PostgreSQL that hangs keeps its connections open, and the kernel still acknowledges what is sent
to it, so no time-out of the network or of the server ends the wait: the client must end it.
Commands, migrations, backups and the forms of the desk wait without a limit.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import Enum, auto
from time import monotonic
from typing import Any

import psycopg
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from psycopg.abc import RV, PQGen
from psycopg_pool import ConnectionPool

from shipskip.web.desk_path import DESK_PATH

MAX_WAIT = 2.0
"""Seconds without progress after which a request abandons a query."""

SILENCE = 0.8
"""Seconds without any answer to this process after which PostgreSQL counts as silent.
The content version is looked up every quarter of a second, so one slow query is not enough."""

CHECK = 0.05
"""Seconds between two checks of the clock while waiting."""

CANCEL_TIMEOUT = 0.5
"""Maximum seconds for the message that cancels a query in PostgreSQL."""

RECONNECT_SECONDS = 0.5
"""Seconds for which the pool tries to connect again, then the next request tries. Its exponential
backoff grows to minutes: the site would stay down long after the database is back.
"""


class WaitLimit(Enum):
    """Who waits: a request does not wait for a silent PostgreSQL; a look-up tests whether it is."""

    NONE = auto()
    REQUEST = auto()
    LOOK_UP = auto()


current_limit: ContextVar[WaitLimit] = ContextVar("limit", default=WaitLimit.NONE)
_unanswered_since: float | None = None
"""When the oldest query was sent that has no answer yet."""


class NoAnswerError(psycopg.OperationalError):
    """PostgreSQL did not answer in time."""


@contextmanager
def limited(limit: WaitLimit) -> Iterator[None]:
    """Context manager: apply this limit to the waits of this thread."""
    token = current_limit.set(limit)
    try:
        yield
    finally:
        current_limit.reset(token)


def limit_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: limit the waits of all requests except the desk's forms; imports take minutes."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        form = request.method == "POST"
        if form and request.path_info.startswith(DESK_PATH):
            return get_response(request)
        with limited(WaitLimit.REQUEST):
            return get_response(request)

    return middleware


def is_silent() -> bool:
    """Whether PostgreSQL has left this process without any answer for SILENCE seconds."""
    since = _unanswered_since
    return since is not None and monotonic() - since > SILENCE


def before_connecting() -> None:
    """Raise NoAnswerError if this is a request and PostgreSQL is silent."""
    if current_limit.get() is WaitLimit.REQUEST and is_silent():
        raise NoAnswerError("PostgreSQL is silent; no request waits for it.")
    if current_limit.get() is WaitLimit.LOOK_UP:
        _asked()


def drop_dead_connections() -> None:
    """Let the pool check its idle connections: when one was closed, others probably were too, and
    each of them would fail one more request. While PostgreSQL is silent, check nothing: they may
    still work.
    """
    pool = getattr(connection, "pool", None)
    if isinstance(pool, ConnectionPool) and not is_silent():
        pool.check()


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that waits no longer than its thread's limit allows; then it is closed."""

    def wait(self, gen: PQGen[RV], interval: float = CHECK, timeout: float | None = None) -> RV:
        """Wait for the answer to one command; raises NoAnswerError after the limit."""
        limit = current_limit.get()
        if limit is WaitLimit.NONE:
            return super().wait(gen, interval, timeout)
        _asked()
        try:
            found = super().wait(_until(limit, gen), CHECK, timeout)
        except NoAnswerError:
            if not is_silent():
                with suppress(psycopg.Error):
                    self.cancel_safe(timeout=CANCEL_TIMEOUT)
            self.close()
            raise
        except psycopg.Error:
            if not self.closed:
                _answered()  # an error is an answer too
            raise
        _answered()
        return found


def _until(limit: WaitLimit, command: PQGen[RV]) -> PQGen[RV]:
    """Run the command; raise NoAnswerError if it waits longer than the limit."""
    progress = monotonic()
    try:
        wanted = next(command)
        while True:
            ready = yield wanted
            if ready:
                progress = monotonic()
            elif limit is WaitLimit.REQUEST and is_silent():
                raise NoAnswerError("PostgreSQL fell silent during a query.")
            elif monotonic() - progress > MAX_WAIT:
                raise NoAnswerError(f"A query had no answer after {MAX_WAIT:g} seconds.")
            wanted = command.send(ready)
    except StopIteration as end:
        result: RV = end.value
        return result


def _asked() -> None:
    global _unanswered_since
    if _unanswered_since is None:
        _unanswered_since = monotonic()


def _answered() -> None:
    global _unanswered_since
    _unanswered_since = None
