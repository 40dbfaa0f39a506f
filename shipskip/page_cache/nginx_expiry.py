"""How long nginx stores a page: until the end of its clock second, told by clocks that agree."""

from time import monotonic, time

from django.http import HttpRequest

MAX_DIFFERENCE = 4
"""Seconds by which the clocks of nginx's and the site's machine may differ."""

STEADY_SECONDS = 60
"""Seconds for which a clock that has jumped is not trusted: it may jump back, and nginx would keep
for a day what it stored under tomorrow's time."""

EXPIRED = "@1"
"""nginx stores the page, and asks again before each use but while the site does not answer."""


class SteadyClock:
    """Whether this machine's clock ran on without a jump, by comparison with the time since its
    start, which nobody sets."""

    def __init__(self) -> None:
        self._difference = time() - monotonic()
        self._jumped_at = -float("inf")

    def has_jumped(self) -> bool:
        """Whether the clock has jumped in the last STEADY_SECONDS."""
        difference = time() - monotonic()
        if abs(difference - self._difference) > MAX_DIFFERENCE:
            self._difference, self._jumped_at = difference, monotonic()
        return monotonic() - self._jumped_at < STEADY_SECONDS


steady_clock = SteadyClock()
"""The clock of this process."""


def nginx_expiry(request: HttpRequest) -> str:
    """The value of X-Accel-Expires for a page that nginx may store.

    nginx's header X-Front has its own time: the page expires with that second. A site.conf of an
    earlier release sends 1 instead, then it expires with ours.
    """
    now, sent = time(), request.META["HTTP_X_FRONT"]
    moment = _moment(sent) if sent != "1" else now
    if abs(moment - now) > MAX_DIFFERENCE or steady_clock.has_jumped():
        return EXPIRED
    return f"@{int(moment)}"


def _moment(text: str) -> float:
    """The seconds since 1970 that nginx sent; 0 if it is no time."""
    seconds, _, fraction = text.partition(".")
    return float(text) if (seconds + fraction).isdecimal() and text.isascii() else 0.0
