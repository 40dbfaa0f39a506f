"""Count the reads of comparisons, without cookies, stored addresses or a query per request.

A request increments counters in memory, which a thread writes every WRITE_EVERY seconds; counts
that are not written when a process is killed are lost. One network counts at most once per
comparison and day: a salted hash identifies it, whose salt is only in this process's memory and
changes each day. So a network may count once in each of several worker processes.
"""

import logging
import re
import secrets
from collections import Counter
from collections.abc import Iterable
from datetime import date
from threading import Event, Lock, Thread

from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest
from django.utils import timezone

from comparisons.addresses import parse
from comparisons.models import DayReads, tools_key
from shipskip.web.network import address_hash, client_address, complete_address, network_of
from shipskip.web.postgresql.waits import WaitLimit, limited
from tools.models import Tool

log = logging.getLogger(__name__)

WRITE_EVERY = 30.0
"""Seconds between two writes."""

BATCH = 500
"""How many numbers one transaction writes."""

MAX_UNWRITTEN = 5_000
"""Maximum counters in memory; if the database does not answer, no further ones are added."""

MAX_READER_HASHES = 100_000
"""Maximum hashes in memory; above it they are cleared, and a network may count once more."""

MAX_PER_NETWORK = 200
"""Maximum comparisons of one network and day; above it the reader is probably a robot."""

ROBOT = re.compile(
    r"bot|crawl|spider|slurp|preview|fetch|monitor|scan|archive|headless|lighthouse"
    r"|curl|wget|python|java/|http",
    re.I,
)
"""Words in a robot's User-Agent; `http` is the start of the address in many of them."""


def is_reader(request: HttpRequest) -> bool:
    """Whether a person reads the page: not a robot by its User-Agent, and not a prefetch."""
    name = request.META.get("HTTP_USER_AGENT", "")[:500]
    purpose = request.META.get("HTTP_SEC_PURPOSE") or request.META.get("HTTP_PURPOSE") or ""
    return bool(name.strip()) and not ROBOT.search(name) and "prefetch" not in purpose


class ReadCounts:
    """The reads of this process that are not written yet. Threads may use it at the same time."""

    def __init__(self) -> None:
        self.in_background = True
        """Whether a thread writes, from the first read on."""
        self._lock, self._stopped = Lock(), Event()
        self._thread: Thread | None = None
        self._failed = False
        self.reset()

    def reset(self) -> None:
        """Forget everything, as at the start of the process."""
        self._unwritten: Counter[tuple[date, str]] = Counter()
        self._begin_day(timezone.now().date())

    def count(self, request: HttpRequest) -> None:
        """Count the request for a comparison, unless a robot or a counted network sent it."""
        if not is_reader(request):
            return
        complete_address(request)
        today = timezone.now().date()
        pair = request.path_info.strip("/").rpartition("/")[2]
        with self._lock:
            if today != self._day or len(self._seen) >= MAX_READER_HASHES:
                self._begin_day(today)
            network = self._hash(network_of(client_address(request)))
            read = self._hash(f"{network} {pair}")
            if read in self._seen or self._networks[network] >= MAX_PER_NETWORK:
                return
            if len(self._unwritten) < MAX_UNWRITTEN or (today, pair) in self._unwritten:
                self._seen.add(read)
                self._networks[network] += 1
                self._unwritten[today, pair] += 1
            if self.in_background and self._thread is None:
                self._thread = Thread(target=self._write_always, name="read-counts", daemon=True)
                self._thread.start()

    def write(self) -> None:
        """Write the counts. After a database error they are written the next time; only the first
        of several failures is logged.
        """
        with self._lock:
            numbers, self._unwritten = self._unwritten, Counter()
        rest = sorted(numbers.items())
        try:
            while rest:
                _write(rest[:BATCH])
                del rest[:BATCH]
        except (DatabaseError, InterfaceError) as error:
            if not self._failed:
                log.warning("Reads of comparisons were not written; trying again later: %s", error)
            with self._lock:
                self._unwritten.update(dict(rest))
        self._failed = bool(rest)

    def stop(self) -> None:
        """Stop the thread for good after a last write."""
        if self._thread:
            self._stopped.set()
            self._thread.join()

    def _begin_day(self, day: date) -> None:
        self._day, self._salt = day, secrets.token_bytes(32)
        self._seen: set[int] = set()
        self._networks: Counter[int] = Counter()

    def _hash(self, text: str) -> int:
        return int(address_hash(text, self._salt)[:16], 16)

    def _write_always(self) -> None:
        """Write until the thread is stopped.

        This is a thread of its own, because a write may wait for SQLite's single writer and must
        not delay the look-ups of the content version.
        """
        with limited(WaitLimit.REQUEST):
            while not self._stopped.wait(WRITE_EVERY):
                self.write()
                connection.close()
            self.write()
        connection.close()


def _write(numbers: Iterable[tuple[tuple[date, str], int]]) -> None:
    """Add counts by day and address to the stored ones. Comparisons with a tool that was renamed or
    deleted since are left out.
    """
    found: Counter[tuple[date, str]] = Counter()
    slugs = {pair: parse(pair) or [] for (_, pair), _ in numbers}
    wanted = {slug for row in slugs.values() for slug in row}
    keys = dict(Tool.objects.at_any(list(wanted)).values_list("slug", "pk"))
    for (day, pair), number in numbers:
        if all(slug in keys for slug in slugs[pair]):
            found[day, tools_key(keys[slug] for slug in slugs[pair])] += number
    DayReads.objects.add(found)


read_counts = ReadCounts()
"""The reads of this process."""
