"""The content version in a process, looked up at most once a second.

The version is the number that the database's triggers raise, with the last scheduled moment that
has passed. While the database does not answer, the version stays: nothing can be published.
"""

import logging
from datetime import UTC, datetime
from threading import Lock
from time import monotonic, time

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Max, Min
from django.utils import timezone

from shipskip.page_cache import after_look_up
from shipskip.page_cache.models import ContentVersion

log = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two look-ups."""

WAIT = 0.25
"""Seconds to wait for another thread's look-up after a pause; a database that hangs makes one
thread wait, not all.
"""

FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


class CurrentVersion:
    """The content version of this process. Threads may use it at the same time."""

    def __init__(self) -> None:
        self.interval = INTERVAL
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget the version, as at the start of the process."""
        self._version: str | None = None
        self._number = -1
        self._next_moment = FIRST
        self._due = self._started = 0.0

    def expire(self) -> None:
        """Look up the version at the next call of `get`."""
        self._due = 0.0

    def get(self) -> str | None:
        """The version now, at most a second old; None while no look-up has succeeded yet."""
        if monotonic() >= self._due:
            self._look_up()
        return self._version

    def _look_up(self) -> None:
        """Look up the version if no other thread does. Database errors are logged."""
        if not self._lock.acquire(blocking=False):
            # Another thread has just started. After a pause without requests the version may be
            # old, and this thread waits for the new one.
            rested = monotonic() > self._due + self.interval
            wait = self._started + WAIT - monotonic()
            if not rested or wait <= 0 or not self._lock.acquire(timeout=wait):
                return
        try:
            start = monotonic()
            if start < self._due:
                return
            self._started = start
            self._read()
            # The next look-up is at the start of a clock second, when nginx revalidates too.
            self._due = start + self.interval - (time() % 1 if self.interval >= 1 else 0)
        finally:
            self._lock.release()
        for call in after_look_up:
            call()

    def _read(self) -> None:
        """Read the number, and the scheduled moments if they can have changed."""
        try:
            now = timezone.now()
            number = ContentVersion.objects.values_list("number", flat=True).first() or 0
            if number != self._number or now >= self._next_moment or self._version is None:
                passed, self._next_moment = moments_around(now)
                self._number = number
                self._version = f"{number}-{int(passed.timestamp() * 1_000_000)}"
        except (DatabaseError, InterfaceError) as error:
            log.warning("The content version could not be looked up; cached pages stay: %s", error)
            if not connection.in_atomic_block:
                connection.close()  # the next request opens a new one


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


current = CurrentVersion()
"""The content version of this process."""
