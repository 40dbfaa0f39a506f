"""Looking for quotes at their sources: which are due, one polite look at each, and what it found.

A host is asked one request at a time, with a pause, and as its robots.txt allows.
"""

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from time import monotonic
from urllib.parse import urljoin, urlsplit

from protego import Protego

from shipskip.web.bounded_fetch import (
    BROKEN_OFF,
    Budget,
    Client,
    Response,
    UnknownHostError,
    UnreachableError,
)
from tools.models import Fact, Outcome, Plan, SourceCheck
from tools.models.source_checks import check_key
from tools.page_text import FORMATTED, decoded, has_quote, is_text, text_url, visible_text
from tools.robots_txt import MAX_BYTES as MAX_ROBOTS_BYTES
from tools.robots_txt import rules_for

log = logging.getLogger(__name__)

ROBOT = "ShipOrSkip"
"""Our name in a robots.txt."""
HOSTS_AT_ONCE = 4
PAUSE_SECONDS = 1.0
"""Between two requests to one host."""
MAX_PAUSE_SECONDS = 30.0
"""The longest pause of a robots.txt that is kept; a host that asks for more is asked at this."""
MAX_REDIRECTS = 5
MAX_REQUESTS = 12
"""Of one look, with redirects and each robots.txt."""
ROBOTS_KEPT = 64
"""The origins whose rules a run remembers."""
FAILURES = 3
"""A host that could not be reached so many times in a row is left alone until the next run."""
_GONE = (404, 410)
_BLOCKED = (401, 403, 429, 451)

Quotes = Mapping[str, Sequence[str]]
"""The quotes by their sources; an empty one where a row has none."""


class _TimeIsUpError(Exception):
    """The run has to end before this look."""


class _ForbiddenError(Exception):
    """A robots.txt asks us not to read the page."""


@dataclass(frozen=True)
class Look:
    """What a source answered; `text` is None where there is none to search."""

    source: str
    outcome: Outcome
    """`PAGE` if its text can be searched."""
    detail: str = ""
    text: str | None = None

    def outcome_of(self, quote: str) -> tuple[Outcome, str]:
        """What became of a quote, and why in words."""
        if not quote or self.text is None:
            return self.outcome, self.detail
        if has_quote(self.text, quote):
            return Outcome.THERE, ""
        if self.detail:  # the page was not read to its end
            return self.outcome, self.detail
        return Outcome.MISSING, ""


@dataclass
class _Host:
    """A host that is asked one request at a time."""

    lock: Lock = field(default_factory=Lock)
    pause: float = PAUSE_SECONDS
    free_at: float = 0.0


@dataclass
class _Asking:
    """What one look may still use."""

    budget: Budget
    requests: int = 0


@dataclass
class Looking:
    """Looks at sources until `end` (of `monotonic`)."""

    client: Client
    end: float
    pause: float = PAUSE_SECONDS
    _hosts: dict[str, _Host] = field(default_factory=dict)
    _robots: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """By origin what its robots.txt says to us."""
    _reading: Lock = field(default_factory=Lock)
    """One page at a time is taken apart: that may need forty times its bytes of memory."""

    def looks(self, sources: Iterable[str]) -> Iterator[Look]:
        """A look at each source, as they end; several hosts at once. A host is asked again when
        the reader takes the next look, so a look is stored before its site can cause a failure.
        Sources for which there was no time are left out.
        """
        by_host: dict[str, list[str]] = {}
        for source in sources:
            by_host.setdefault(_host_of(text_url(source)), []).append(source)
        waiting = deque(self._looks_at_host(own) for own in by_host.values())
        running: dict[Future[Look | None], Iterator[Look]] = {}
        with ThreadPoolExecutor(HOSTS_AT_ONCE, "sources") as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < HOSTS_AT_ONCE:
                        host = waiting.popleft()
                        running[pool.submit(next, host, None)] = host
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        host = running.pop(future)
                        if look := future.result():
                            yield look
                            running[pool.submit(next, host, None)] = host
            finally:
                self.end = 0.0  # if the reader stops, so do the looks

    def _looks_at_host(self, sources: Sequence[str]) -> Iterator[Look]:
        failures = 0
        for source in sources:
            try:
                look = self.look(source)
            except _TimeIsUpError:
                return
            yield look
            failures = failures + 1 if look.outcome is Outcome.UNREACHED else 0
            if failures == FAILURES or look.detail == _answered(429):
                return

    def look(self, source: str) -> Look:
        """Ask one source."""
        try:
            response = self._follow(text_url(source), _Asking(self.client.budget()))
            with self._reading:
                return _look(source, response)
        except _TimeIsUpError:
            raise
        except UnknownHostError as error:
            return Look(source, Outcome.GONE, str(error))
        except UnreachableError as error:
            return Look(source, Outcome.UNREACHED, str(error))
        except _ForbiddenError:
            return Look(source, Outcome.BLOCKED, "robots.txt")
        except Exception:
            log.exception("A source could not be read: %s", source)
            return Look(source, Outcome.UNREACHED, "its answer could not be read")

    def _follow(self, url: str, asking: _Asking, *, is_robots: bool = False) -> Response:
        """The answer at the end of redirects."""
        seen: set[str] = set()
        while True:
            if not is_robots and not self._is_allowed(url, asking):
                raise _ForbiddenError
            seen.add(url)
            response = self._ask(url, asking, is_robots=is_robots)
            if not response.redirect:
                return response
            url = response.redirect.partition("#")[0]
            if url in seen:
                raise UnreachableError("redirects in a circle")
            if len(seen) > MAX_REDIRECTS:
                raise UnreachableError(f"redirects more than {MAX_REDIRECTS} times")

    def _ask(self, url: str, asking: _Asking, *, is_robots: bool) -> Response:
        """One request, when it is its turn; waiting for it takes nothing of the look's time."""
        asking.requests += 1
        if asking.requests > MAX_REQUESTS:
            raise UnreachableError(f"needs more than {MAX_REQUESTS} requests")
        host = self._hosts.setdefault(_host_of(url), _Host(pause=self.pause))
        since = monotonic()
        with host.lock:
            pause = max(0.0, host.free_at - monotonic())
            if monotonic() + pause >= self.end:
                raise _TimeIsUpError
            time.sleep(pause)
            asking.budget.end += monotonic() - since
            try:
                if is_robots:
                    return self.client.get(url, asking.budget, MAX_ROBOTS_BYTES)
                return self.client.get(url, asking.budget)
            finally:
                host.free_at = monotonic() + host.pause

    def _is_allowed(self, url: str, asking: _Asking) -> bool:
        try:
            parts = urlsplit(url)
        except ValueError:
            raise UnreachableError("is no address of the web") from None
        origin = f"{parts.scheme}://{parts.netloc}"
        rules = self._robots.get(origin)
        if rules is None:
            rules = self._robots[origin] = self._read_robots(origin, asking)
            while len(self._robots) > ROBOTS_KEPT:
                self._robots.popitem(last=False)
        with self._reading:
            return Protego.parse(rules).can_fetch(url, ROBOT)

    def _read_robots(self, origin: str, asking: _Asking) -> str:
        """The rules of an origin for us; empty if it has none (RFC 9309)."""
        response = self._follow(urljoin(origin, "/robots.txt"), asking, is_robots=True)
        if response.status >= 500 or response.status == 429:
            raise UnreachableError(f"its robots.txt {_answered(response.status)}")
        if response.status >= 300:
            return ""
        if len(response.body) < MAX_ROBOTS_BYTES and response.cut:
            raise UnreachableError(f"its robots.txt was not read: {response.cut}")
        text = decoded(response.body, response.charset)
        if response.cut:  # half a rule may say more than the whole one
            text = text[: text.rfind("\n") + 1]
        rules = rules_for(ROBOT, text)
        with self._reading:
            delay = Protego.parse(rules).crawl_delay(ROBOT) or 0.0
        host = self._hosts[_host_of(origin)]
        host.pause = max(self.pause, min(delay, MAX_PAUSE_SECONDS))
        return rules


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _answered(status: int) -> str:
    return f"answered {status}"


def _look(source: str, response: Response) -> Look:
    """What a source's last answer means."""
    if response.status in _GONE:
        return Look(source, Outcome.GONE, _answered(response.status))
    if response.status in _BLOCKED:
        return Look(source, Outcome.BLOCKED, _answered(response.status))
    if not 200 <= response.status < 300:
        return Look(source, Outcome.UNREACHED, _answered(response.status))
    if not is_text(response.content_type):
        return Look(source, Outcome.PAGE, "not a text: its words cannot be compared")
    text = decoded(response.body, response.charset)
    if response.content_type in (*FORMATTED, ""):
        text = visible_text(text)
    outcome = Outcome.UNREACHED if response.cut == BROKEN_OFF else Outcome.PAGE
    return Look(source, outcome, response.cut and f"read in part: {response.cut}", text)


def quotes_by_source() -> Quotes:
    """What existing tools quote, by source: those never looked at first, then the least recent
    look; three queries.
    """
    found: dict[str, set[str]] = {}
    for model in (Fact, Plan):
        rows = model.objects.filter(tool__deleted_at=None).exclude(source="").order_by()
        for source, quote in rows.values_list("source", "quote").distinct().iterator():
            found.setdefault(source, set()).add(quote)
    checked = dict(SourceCheck.objects.values_list("key", "checked_at"))
    times: dict[str, tuple[bool, float]] = {}
    for source, quotes in found.items():
        looks = [checked.get(check_key(source, quote)) for quote in quotes]
        oldest = min((look.timestamp() if look else 0.0) for look in looks)
        times[source] = (oldest > 0, oldest)
    in_order = sorted(found, key=lambda source: (times[source], source))
    return {source: sorted(found[source]) for source in in_order}


def store(look: Look, quotes: Iterable[str], now: datetime) -> list[SourceCheck]:
    """Store what a look found of each of these quotes."""
    checks = []
    for quote in quotes:
        outcome, detail = look.outcome_of(quote)
        values = {"outcome": outcome, "detail": detail, "checked_at": now}
        if outcome is Outcome.THERE:
            values["there_at"] = now
        key = {"source": look.source, "quote": quote}
        check, _ = SourceCheck.objects.update_or_create(
            key=check_key(look.source, quote), defaults=values, create_defaults=values | key
        )
        checks.append(check)
    return checks


def delete_unused(quotes: Quotes) -> int:
    """Delete the checks of quotes that no row has any more; return how many."""
    used = {check_key(source, quote) for source, own in quotes.items() for quote in own}
    keys = [key for key in SourceCheck.objects.values_list("key", flat=True) if key not in used]
    for at in range(0, len(keys), 500):
        SourceCheck.objects.filter(key__in=keys[at : at + 500]).delete()
    return len(keys)
