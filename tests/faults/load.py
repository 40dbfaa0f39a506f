"""Simulated readers and voters, a log of every answer they got, and the votes that are stored."""

import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import cycle, pairwise
from math import inf
from typing import Self
from urllib.parse import urlencode

import psycopg

from tests.waiting import wait_until

PAUSE, VOTERS_PAUSE = 0.01, 0.2
"""Seconds between two requests of one visitor: of pages in nginx's cache, and of forms. nginx
passes ten requests a second of a network to the site."""

HEADER_MARK = b'class="masthead__name"'
"""HTML that is in every page of the site, also in those that nginx serves itself."""

TIMEOUT = 30
"""Seconds that a visitor waits for an answer."""


@dataclass
class RequestLog:
    """The answers to one kind of request: when (seconds), status (0: none), seconds waited."""

    rows: list[tuple[float, int, float]] = field(default_factory=list)

    def between(self, start: float, end: float) -> "RequestLog":
        """The answers to requests that began in this time."""
        return RequestLog([row for row in self.rows if start <= row[0] < end])

    def statuses(self) -> Counter[int]:
        """How many of each status."""
        return Counter(status for _, status, _ in self.rows)

    def bad(self) -> list[tuple[float, int, float]]:
        """The answers without a page."""
        return [row for row in self.rows if row[1] not in (200, 303, 304)]

    def failing_seconds(self) -> float:
        """Seconds from the first bad answer to the last."""
        bad = self.bad()
        return bad[-1][0] - bad[0][0] + bad[-1][2] if bad else 0.0

    def longest_gap(self, start: float, end: float) -> float:
        """Seconds between these times in which no request that was answered well ended."""
        ends = sorted(at + waited for at, status, waited in self.rows if status in (200, 303, 304))
        moments = [start, *(at for at in ends if start <= at < end), end]
        return max(later - earlier for earlier, later in pairwise(moments))

    def percentile(self, percent: int) -> float:
        """Milliseconds within which this share of the answers came."""
        waits = sorted(row[2] for row in self.rows)
        return waits[(len(waits) - 1) * percent // 100] * 1000 if waits else 0.0

    def slowest(self) -> float:
        """Seconds of the longest wait."""
        return max((row[2] for row in self.rows), default=0.0)


class Voter:
    """A visitor with an own IP address, who records which votes were acknowledged."""

    def __init__(
        self, port: int, number: int, host: str = "127.0.0.1", network: str = "127.1"
    ) -> None:
        self.host, self.port = host, port
        self.source = f"{network}.{1 + number % 250}.{1 + number // 250}"  # a network each
        self.cookies: dict[str, str] = {}
        self.possible: dict[str, set[str]] = {}
        """What may be stored, by tool: one choice once a vote was acknowledged."""
        self.choices = cycle(("skip", "ship"))
        self.turn = 0
        self.unexplained = 0

    @property
    def name(self) -> str:
        """The visitor's id: the cookie before its signature; empty before the first vote."""
        return self.cookies.get("visitor", "").partition(":")[0]

    @property
    def cookie_header(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def request(self, method: str, path: str, body: str | None = None, **headers: str) -> int:
        """The status of one request; 0 without an answer."""
        return self.page(method, path, body, **headers)[0]

    def page(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Status and page of one request on a new connection; 0 without an answer."""
        one = HTTPConnection(self.host, self.port, TIMEOUT, source_address=(self.source, 0))
        headers |= {"Cookie": self.cookie_header}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Sec-Fetch-Site"] = "same-origin"
        try:
            one.request(method, path, body, headers)
            response = one.getresponse()
            page = response.read()
        except (OSError, HTTPException):
            return 0, b""
        finally:
            one.close()
        if response.status == 503 and not (response.headers["Retry-After"] and HEADER_MARK in page):
            self.unexplained += 1
        for line in response.headers.get_all("Set-Cookie", []):
            name, _, rest = line.partition("=")
            self.cookies[name] = rest.partition(";")[0].strip('"')
        return response.status, page

    def read_list(self) -> int:
        """Request a list with an invalid filter, which no cache stores; nginx limits searches."""
        self.turn += 1
        return self.request("GET", f"/tools/?sort={self.source}word{self.turn}")

    def vote(self, tool: str, choice: str = "") -> int:
        """Cast or change a vote, or withdraw it (`none`); by default the opposite of the last."""
        choice = choice or next(self.choices)
        known, stored = bool(self.name), {"" if choice == "none" else choice}
        status = self.request("POST", f"/tools/{tool}/vote/", urlencode({"choice": choice}))
        if status in (200, 303):
            self.possible[tool] = stored
        elif known:
            self.possible[tool] = self.possible.get(tool, {""}) | stored
        return status


Job = tuple[RequestLog, Callable[[], int], float]


class Load:
    """Readers of one page, some who search, and voters, who send requests inside `with`."""

    def __init__(
        self,
        port: int,
        page: str,
        tool: str,
        voters: int = 4,
        searchers: int = 1,
        pause: float = PAUSE,
        readers: int = 1,
        tools: Sequence[str] = (),
        **at: str,
    ) -> None:
        self.readers, self.others, self.votes = RequestLog(), RequestLog(), RequestLog()
        self.logs = (self.readers, self.others, self.votes)
        people = [Voter(port, number, **at) for number in range(voters + searchers + readers)]
        self.voters, self.people = people[:voters], people
        others, reading = people[voters : voters + searchers], people[voters + searchers :]
        jobs: list[Job] = [
            (self.readers, partial(reader.request, "GET", page), pause) for reader in reading
        ]
        jobs += [(self.others, other.read_list, max(pause, 0.1)) for other in others]
        turn = max(pause, VOTERS_PAUSE)
        jobs += [
            (self.votes, partial(voter.vote, tool), turn)
            for voter, tool in zip(self.voters, cycle(tools or [tool]), strict=False)
        ]
        self.going = True
        self.threads = [threading.Thread(target=self._go, args=job, daemon=True) for job in jobs]

    def _go(self, log: RequestLog, act: Callable[[], int], pause: float) -> None:
        while self.going:
            start = time.monotonic()
            status = act()
            log.rows.append((start, status, time.monotonic() - start))
            time.sleep(pause)

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        self._wait_for_answers()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_answers()
        finally:
            self.going = False
            for thread in self.threads:
                thread.join()

    def _wait_for_answers(self) -> None:
        """Wait for an answer to each kind of request that begins from now on."""
        now = time.monotonic()
        wait_until(lambda: all(log.between(now, inf).rows for log in self.logs))

    def failed(self) -> Counter[int]:
        """The statuses of answers without a page."""
        return Counter(status for log in self.logs for _, status, _ in log.bad())


StoredVotes = dict[tuple[str, str], str]
"""The choice of each visitor (hex) on each tool (slug) with a vote."""


def stored_votes(url: str) -> StoredVotes:
    """The votes in a database, which is whole and has one vote of each visitor on a tool."""
    query = (
        "SELECT reviews_vote.visitor, slug, choice FROM reviews_vote"
        " JOIN tools_tool ON tools_tool.id = tool_id"
    )
    rows: list[tuple[object, str, str]]
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
            rows = database.execute(query).fetchall()
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    else:
        with psycopg.connect(url) as connection:
            rows = connection.execute(query).fetchall()
    found = {(str(visitor).replace("-", ""), slug): choice for visitor, slug, choice in rows}
    assert len(found) == len(rows), "a visitor has two votes on one tool"
    return found


def lost(voters: Iterable[Voter], stored: StoredVotes) -> list[str]:
    """A line for each vote that is stored otherwise than it was acknowledged."""
    found = []
    for voter in voters:
        for tool, possible in voter.possible.items():
            row = stored.get((voter.name, tool), "")
            if row not in possible:
                answered = " or ".join(choice or "none" for choice in possible)
                found.append(f"{voter.name} on {tool}: {answered}; stored: {row or 'none'}")
    return found


def tool_slugs(page: bytes) -> list[str]:
    """The slugs of the tools that a list names, in its order."""
    found: list[bytes] = re.findall(rb'href="/tools/([a-z0-9-]+)/"', page)
    return [slug.decode() for slug in dict.fromkeys(found)]
