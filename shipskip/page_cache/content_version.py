"""The content version in a process, and the content that is built for it.

The version consists of the number that the database's triggers increase, and of the last scheduled
moment that has passed. A thread looks it up four times a second. When it has changed, another
thread builds the content of the new version while requests go on with the old one; then version and
content change together, for pages, ETags and the keys of the page cache. While the database does
not answer, both stay as they are, since nothing can be published.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Condition, Event, Lock, Thread
from time import monotonic, time
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.models import Max, Min
from django.utils import timezone

from shipskip.page_cache.models import ContentVersion
from shipskip.web.postgresql.waits import WaitLimit, drop_dead_connections, is_silent, limited
from shipskip.web.read_snapshot import read_snapshot

log = logging.getLogger(__name__)

INTERVAL, RETRY = 0.25, 0.1
"""Seconds between two look-ups, and after one that failed."""

BUILD_RETRY = 1.0
"""Seconds after a build that failed."""

LOOK_UP_WAIT, BUILD_WAIT = 0.25, 0.05
"""Seconds that a request waits for the first look-up of a clock second, and for the build of a
small site's content after it, from the second's start."""


class Shown(NamedTuple):
    """A content version that readers see: its name, its number, and what was built for it."""

    version: str
    number: int
    moment: datetime
    """The last scheduled moment that had passed; a clock before it was set back."""
    next_moment: datetime
    """The next scheduled moment, at which another version begins."""
    content: Any

    def is_at(self, now: datetime) -> bool:
        """Whether the same scheduled moments have passed at `now`."""
        return self.moment <= now < self.next_moment


class CurrentVersion:
    """The content version of this process. Threads may use it at the same time."""

    def __init__(self) -> None:
        self.in_background = True
        """Whether background threads look it up, from the first request on; else each `get`."""
        self.build: Callable[[int, datetime, Any], Any] = lambda number, now, before: None
        """What builds the content of a number at a moment, from the snapshot that is open; the last
        argument is the content before it, or None.
        """
        self._changed, self._building = Condition(), Lock()
        self._stopped, self._is_stale = Event(), Event()
        self._threads: list[Thread] = []
        self._started = 0.0
        self._also: list[Callable[[], None]] = []
        self.reset()

    def reset(self) -> None:
        """Forget the version, as at the start of the process."""
        self._shown: Shown | None = None
        self._did_the_rest = False
        self._second = 0
        self._failed = False
        self._failing_since: float | None = None
        self._is_stale.clear()

    def get(self) -> Shown | None:
        """The version that readers see; None while no build has succeeded yet.

        It is from the current clock second, because nginx stores a page for one clock second: a
        change is visible in the next second. `get` waits neither for a slow look-up nor for a
        large build.
        """
        if not self.in_background:
            self._follow()
            return self._shown
        self.begin()
        now = time()
        start = max(int(now), min(self._started, now))  # the clock may have been set back
        if not is_silent():
            with self._changed:
                self._wait(lambda: int(start) <= self._second <= time(), start + LOOK_UP_WAIT)
                self._wait(self._is_settled, start + BUILD_WAIT)
        return self._shown

    def _is_settled(self) -> bool:
        return self.is_failing or not self._is_stale.is_set()

    def _wait(self, condition: Callable[[], bool], until: float) -> None:
        """Wait for a condition until a moment, in seconds since 1970; the lock is held."""
        if (patience := until - time()) > 0:
            self._changed.wait_for(condition, patience)

    def get_or_build(self) -> Shown:
        """The version that readers see; build the first one if there is none. Raises
        OperationalError, which readers get as a 503, while the database does not answer.
        """
        try:
            return self.get() or self._build(None)
        except (DatabaseError, InterfaceError) as error:
            raise OperationalError("No content could be built.") from error

    def newer_than(self, number: int, patience: float) -> Shown:
        """The version after this number; the one that readers see if it is not built in time.

        Raises OperationalError while building fails, so that the reader gets an expired page or a
        503 at once.
        """
        if self.in_background and not self._is_newer_than(number):
            self._is_stale.set()
            with self._changed:
                self._wait(
                    lambda: self._is_newer_than(number) or self.is_failing, time() + patience
                )
        shown = self.get_or_build()
        if self.is_failing:
            raise OperationalError("No newer content could be built.")
        return shown

    def _is_newer_than(self, number: int) -> bool:
        return self._shown is not None and self._shown.number != number

    @property
    def shown(self) -> Shown | None:
        """The version that readers see, without a look-up; None if none is built yet."""
        return self._shown

    @property
    def is_ready(self) -> bool:
        """Whether the first content is built, and what the look-up also does was done once."""
        return self._shown is not None and (self._did_the_rest or not self.in_background)

    @property
    def is_failing(self) -> bool:
        """Whether the last build has failed."""
        return self._failing_since is not None

    @property
    def seconds_behind(self) -> float:
        """For how long building a newer content has failed; 0 if it has not."""
        return monotonic() - self._failing_since if self._failing_since is not None else 0.0

    def also_look_up(self, act: Callable[[], None]) -> None:
        """Register a function to call after each look-up in the background; it must be fast, but
        for its first call: a process is ready after it.
        """
        self._also.append(act)

    def stop(self) -> None:
        """Stop the threads; the next `get` starts them again."""
        self._stopped.set()
        self._is_stale.set()
        for thread in self._threads:
            thread.join()
        self._threads = []
        self._is_stale.clear()

    def begin(self) -> None:
        """Start the threads; idempotent."""
        if self._threads or not self.in_background:
            return
        with self._changed:
            if not self._threads:
                self._stopped.clear()
                self._started = time()
                acts = {"content-version": self._look_up_always, "content": self._build_always}
                self._threads = [
                    Thread(target=act, name=name, daemon=True) for name, act in acts.items()
                ]
                for thread in self._threads:
                    thread.start()

    def _look_up_always(self) -> None:
        with limited(WaitLimit.LOOK_UP):
            while not self._stopped.is_set():
                self._look_up()
                self._do_the_rest()
                # Look up at the start of each clock second.
                self._stopped.wait(RETRY if self._failed else INTERVAL - time() % INTERVAL)
        connection.close()

    def _build_always(self) -> None:
        """Build whenever the version is stale; after a failure log the first one and try again."""
        with limited(WaitLimit.REQUEST):
            while not self._stopped.is_set():
                self._is_stale.wait()
                if not self._stopped.is_set() and not self._try_to_build():
                    self._stopped.wait(BUILD_RETRY)
                connection.close()  # unused until the next publication, it might die unnoticed

    def _try_to_build(self) -> bool:
        """Build; whether it worked. Log the first of several failures."""
        try:
            self._build(self._shown)
        except Exception as error:
            if self._failing_since is None:
                self._failing_since = monotonic()
                log.error("No new content could be built; the old one stays.", exc_info=error)
            with self._changed:
                self._changed.notify_all()
            return False
        return True

    def _follow(self) -> None:
        """Look the version up, and build it if it has changed; for a process without threads."""
        self._look_up()
        if self._is_stale.is_set() and not self._failed:
            self._try_to_build()

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
        with self._changed:
            self._second = second
            self._changed.notify_all()

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
            except Exception:
                log.exception("Work in the background failed.")
        self._did_the_rest = True

    def _read(self) -> None:
        """Read the number, and note whether what readers see is of another version."""
        number, shown = stored_number(), self._shown
        if shown is None or number != shown.number or not shown.is_at(timezone.now()):
            self._is_stale.set()

    def _build(self, replaced: Shown | None) -> Shown:
        """Build the content of the version that the database has now, in one snapshot, and show it
        to readers; unless another thread has replaced that content meanwhile.
        """
        with self._building:
            if self._shown is not None and self._shown is not replaced:
                return self._shown
            self._is_stale.clear()
            try:
                now = timezone.now()
                with read_snapshot():
                    number = stored_number()
                    shown = self._shown
                    if shown and number == shown.number and shown.is_at(now):
                        self._failing_since = None
                        return shown  # a look-up during the last build has asked for this one
                    passed, next_moment = moments_around(now)
                    content = self.build(number, now, replaced.content if replaced else None)
            except BaseException:
                self._is_stale.set()
                raise
            version = f"{number}-{int(passed.timestamp() * 1_000_000)}"
            with self._changed:
                self._shown = shown = Shown(version, number, passed, next_moment, content)
                self._failing_since = None
                self._changed.notify_all()
            return shown


def stored_number() -> int:
    """The number that the database has now; one query."""
    return ContentVersion.objects.values_list("number", flat=True).first() or 0


def moments_around(now: datetime) -> tuple[datetime, datetime]:
    """The last moment of publication at or before `now`, and the first one after it; a midnight
    (UTC) is one too, because pages tell the ages of sources in whole days.

    Two queries for each of SCHEDULED_MODELS, answered by the index on the moment.
    """
    passed = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    following = passed + timedelta(days=1)
    for label in settings.SCHEDULED_MODELS:
        rows = apps.get_model(label)._base_manager.order_by()
        before = rows.filter(published_at__lte=now).aggregate(at=Max("published_at"))["at"]
        after = rows.filter(published_at__gt=now).aggregate(at=Min("published_at"))["at"]
        passed, following = max(passed, before or passed), min(following, after or following)
    return passed, following


current_version = CurrentVersion()
"""The content version of this process."""
