"""What a process knows of the content: its version, the moments around now, joined tallies.

Looked up at most once a second, and only when somebody asks for a page. While the database does
not answer, what was known stays true: nothing can have been published.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import monotonic, time
from typing import Any

from django.apps import apps
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Max, Min, Q
from django.utils import timezone

from shipskip.web.caching import Notes
from shipskip.web.memory import after_looks
from shipskip.web.models import JOIN_EVERY, ContentVersion, Joining
from shipskip.web.publishing import ALWAYS, Publishable

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two looks."""

LATE = timedelta(seconds=5)
"""By how much a vote may be stored later than its `joins_at`, and two machines' clocks differ."""

MOST = 10_000
"""Rows a look reads at most; when more have joined, all pages with tallies are made anew."""

PATIENCE = 0.25
"""Seconds to wait for another thread's look after a quiet time; a database that hangs may make
one thread wait, not all.
"""

END = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Version:
    """The content from one scheduled moment (inclusive) to the next, at one number."""

    number: int
    since: datetime
    until: datetime

    def holds(self, number: int, now: datetime) -> bool:
        """Whether it is still the one at that number and moment."""
        return self.number == number and self.since <= now < self.until

    def __str__(self) -> str:
        return f"{self.number}-{int(self.since.timestamp() * 1_000_000)}"


@dataclass(frozen=True)
class _Joined:
    """The last time a row joined, and what it told then if nothing has changed since.

    A row that is to join in the future has joined JOIN_EVERY before that: in a storm the next
    vote comes before anybody looks, and moves `joins_at` on.
    """

    moment: datetime
    told: tuple[Any, ...] | None

    @classmethod
    def at(cls, now: datetime, joins_at: datetime, told: Sequence[Any]) -> "_Joined":
        if joins_at <= now:
            return cls(joins_at, tuple(told))
        return cls(joins_at - JOIN_EVERY, None)

    def is_news_after(self, seen: "_Joined | None") -> bool:
        """Whether it joined since it was `seen`, or told something else: it was stored late."""
        if seen is None or seen.moment != self.moment:
            return True
        return self.told is not None and self.told != seen.told


class Knowledge:
    """What one process knows.

    `version` is replaced as a whole, so that pages compare it by identity. `turn` counts the
    looks that learned of tallies.
    """

    def __init__(self) -> None:
        self.interval = LOOK_EVERY
        self._looking = Lock()
        self.forget()

    def forget(self) -> None:
        """Know nothing, as at the start."""
        self.version: Version | None = None
        self.turn = 0
        self.look_at = self.began_look = 0.0
        self._learned: dict[int, int] = {}
        self._floor = 0
        self._every = 0
        self._every_due: datetime | None = None
        self._every_at = ALWAYS
        self._recent: dict[int, _Joined] = {}
        self._told_until: datetime | None = None

    def look(self) -> None:
        """Look again if it is time. Never fails: what was known stays, and a line is logged."""
        if not self._looking.acquire(blocking=False):
            quiet = monotonic() > self.look_at + self.interval
            wait = self.began_look + PATIENCE - monotonic()
            if not quiet or wait <= 0 or not self._looking.acquire(timeout=wait):
                return
        try:
            began = monotonic()
            if began < self.look_at:
                return
            self.began_look = began
            self._try_to_learn()
            # At the turn of the clock's second, as the front does: their waits do not add up.
            self.look_at = began + self.interval - (time() % 1 if self.interval >= 1 else 0)
        finally:
            self._looking.release()
        for call in after_looks:
            call()

    def fresh(self, version: Version | None, turn: int, notes: Notes) -> bool:
        """Whether a page is still true whose rendering began at that version and turn."""
        if version is not self.version or version is None:
            return False
        if notes.every_tally and self._every > turn:
            return False
        if not notes.tallies:
            return True
        return self._floor <= turn and all(self._learned.get(pk, 0) <= turn for pk in notes.tallies)

    def _try_to_learn(self) -> None:
        try:
            now = timezone.now()
            number = ContentVersion.objects.values_list("number", flat=True).first() or 0
            if self.version is None or not self.version.holds(number, now):
                self.version = Version(number, *_moments_around(now))
            self._learn_tallies(now)
        except (DatabaseError, InterfaceError) as error:
            log.warning("No look at the content version; pages stay as known: %s", error)
            if not connection.in_atomic_block:
                connection.close()  # the page that is asked for tries a new one

    def _learn_tallies(self, now: datetime) -> None:
        """Learn which tallies joined since the last look; each look reads a little further back."""
        rows = list(_joined(self._told_until or now, now)[: MOST + 1])
        recent = {pk: _Joined.at(now, joins_at, told) for pk, joins_at, *told in rows}
        new = [pk for pk, joined in recent.items() if joined.is_news_after(self._recent.get(pk))]
        turn = self.turn + 1
        self._learned.update(dict.fromkeys(new, turn))
        if len(rows) > MOST:
            self._floor = turn
        if new and self._every_due is None:
            self._every_due = max(now, self._every_at + JOIN_EVERY)
        if self._every_due is not None and now >= self._every_due:
            self._every, self._every_at, self._every_due = turn, now, None
            self.turn = turn
        if new:
            self.turn = turn
        self._recent, self._told_until = recent, now


def joined_since(tools: Iterable[int], began: datetime) -> bool:
    """Whether a tally of these tools may have joined since a page was begun elsewhere."""
    return bool(_joined(began, timezone.now()).filter(pk__in=list(tools)).exists())


def _joined(since: datetime, now: datetime) -> Any:
    """The rows that joined after `since`, or a little before, with when they join next or did."""
    model = next(model for model in apps.get_models() if issubclass(model, Joining))
    begin, later = since - LATE, JOIN_EVERY
    past = Q(joins_at__gt=begin, joins_at__lte=now)
    before = Q(joins_at__gt=begin + later, joins_at__lte=now + later)
    return model._base_manager.filter(past | before).values_list("pk", "joins_at", *model.told)


def _moments_around(now: datetime) -> tuple[datetime, datetime]:
    """The last scheduled moment that has come and the first to come, of everything publishable.

    Two queries a table, each answered by the index on the moment.
    """
    since, until = ALWAYS, END
    for model in apps.get_models():
        if issubclass(model, Publishable):
            rows = model._base_manager.order_by()
            come = rows.filter(published_at__lte=now).aggregate(at=Max("published_at"))["at"]
            due = rows.filter(published_at__gt=now).aggregate(at=Min("published_at"))["at"]
            since, until = max(since, come or since), min(until, due or until)
    return since, until


known = Knowledge()
"""What this process knows."""
