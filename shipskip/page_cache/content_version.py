"""The content version in a process, looked up in the background four times a second.

The version consists of the number that the database's triggers increase, and of the last scheduled
moment that has passed. Requests read it from memory. While the database does not answer, the
version stays as it is, since nothing can be published.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Condition, Event, Thread
from time import time

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Max, Min
from django.utils import timezone

from shipskip.page_cache.models import ContentVersion
from shipskip.web.postgresql.waits import WaitLimit, drop_dead_connections, is_silent, limited

log = logging.getLogger(__name__)

INTERVAL, RETRY = 0.25, 0.1
"""Seconds between two look-ups, and after one that failed."""

LOOK_UP_WAIT = 0.25
"""Seconds that a request waits for the first look-up of a clock second, from the second's start."""

FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


class CurrentVersion:
    """The content version of this process. Threads may use it at the same time."""

    def __init__(self) -> None:
        self.in_background = True
        """Whether a background thread looks it up, from the first request on; else each `get`."""
        self._finished, self._stopped = Condition(), Event()
        self._thread: Thread | None = None
        self._started = 0.0
        self._also: list[Callable[[], None]] = []
        self.reset()

    def reset(self) -> None:
        """Forget the version, as at the start of the process."""
        self._version: str | None = None
        self._number, self._second = -1, 0
        self._next_moment = FIRST
        self._failed = False

    def get(self) -> str | None:
        """The version; None while no look-up has succeeded yet.

        It is from the current clock second, because nginx stores a page for one clock second: a
        change is visible in the next second. `get` does not wait for a slow look-up.
        """
        if not self.in_background:
            self._look_up()
            return self._version
        self.begin()
        now = time()
        patience = max(int(now), self._started) + LOOK_UP_WAIT - now
        if self._second < int(now) and patience > 0 and not is_silent():
            with self._finished:
                self._finished.wait_for(lambda: self._second >= int(now), patience)
        return self._version

    def also_look_up(self, act: Callable[[], None]) -> None:
        """Register a function to call after each look-up in the background; it must be fast."""
        self._also.append(act)

    def stop(self) -> None:
        """Stop the look-ups in the background; the next `get` starts them again."""
        if self._thread:
            self._stopped.set()
            self._thread.join()
            self._thread = None

    def begin(self) -> None:
        """Start the look-ups in the background; idempotent."""
        if self._thread is not None or not self.in_background:
            return
        with self._finished:
            if self._thread is None:
                self._stopped.clear()
                self._started = time()
                name = "content-version"
                self._thread = Thread(target=self._look_up_always, name=name, daemon=True)
                self._thread.start()

    def _look_up_always(self) -> None:
        with limited(WaitLimit.LOOK_UP):
            while not self._stopped.is_set():
                self._look_up()
                self._do_the_rest()
                # Look up at the start of each clock second.
                self._stopped.wait(RETRY if self._failed else INTERVAL - time() % INTERVAL)
        connection.close()

    def _look_up(self) -> None:
        """Look the version up. Log the first of several failures, and the first success after."""
        second = int(time())
        try:
            self._read()
        except (DatabaseError, InterfaceError) as error:
            if not connection.in_atomic_block:
                connection.close()  # the next look-up opens a new one
            if not self._failed:
                log.warning("The database does not answer; cached pages stay: %s", error)
            self._failed = True
        else:
            if self._failed:
                log.warning("The database answers again.")
                drop_dead_connections()
            self._failed = False
        with self._finished:
            self._second = second
            self._finished.notify_all()

    def _do_the_rest(self) -> None:
        """Call the registered functions, if the database answers."""
        for act in self._also:
            if self._failed:
                return
            try:
                act()
            except (DatabaseError, InterfaceError) as error:
                connection.close()
                log.warning("Work in the background failed: %s", error)

    def _read(self) -> None:
        """Read the number, and also the scheduled moments if they may have changed."""
        now = timezone.now()
        number = ContentVersion.objects.values_list("number", flat=True).first() or 0
        if number != self._number or now >= self._next_moment or self._version is None:
            passed, self._next_moment = moments_around(now)
            self._number = number
            self._version = f"{number}-{int(passed.timestamp() * 1_000_000)}"


def moments_around(now: datetime) -> tuple[datetime, datetime]:
    """The last moment of publication at or before `now`, and the first one after it.

    Two queries for each of SCHEDULED_MODELS, answered by the index on the moment.
    """
    passed, following = FIRST, LAST
    for label in settings.SCHEDULED_MODELS:
        rows = apps.get_model(label)._base_manager.order_by()
        before = rows.filter(published_at__lte=now).aggregate(at=Max("published_at"))["at"]
        after = rows.filter(published_at__gt=now).aggregate(at=Min("published_at"))["at"]
        passed, following = max(passed, before or passed), min(following, after or following)
    return passed, following


current_version = CurrentVersion()
"""The content version of this process."""
