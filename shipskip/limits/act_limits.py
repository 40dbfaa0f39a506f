"""Limits that count an act in a window of the clock: a kind, a key, a window and a most."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from django.conf import settings
from django.db import connection

from shipskip.limits.daily_hashes import hash_of_day
from shipskip.limits.models import ActCount
from shipskip.web.refusals import RefusedError

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_COUNT = f"""
    INSERT INTO {ActCount._meta.db_table} (kind, key, until, acts) VALUES (%s, %s, %s, 1)
    ON CONFLICT (kind, key, until) DO UPDATE SET acts = {ActCount._meta.db_table}.acts + 1
    WHERE {ActCount._meta.db_table}.acts < %s
"""  # noqa: S608 - the name is ours


@dataclass(frozen=True)
class ActLimit:
    """At most `most` acts of this kind and one key in a window of the clock (UTC).

    `most` is a number or the name of a setting, of which the limit is `factor` times. `refusal` is
    the sentence of `refused`, empty if nobody reads one.
    """

    kind: str
    window: timedelta
    most: int | str
    refusal: str = ""
    factor: int = 1

    def count(self, key: str, now: datetime) -> bool:
        """Count an act of `key`, a hash, unless it is above the limit; return whether it is not.

        One conditional statement, so that parallel requests cannot exceed the limit. It locks the
        row until the transaction ends, and an act that is rolled back is not counted.
        """
        if not self._most:
            return False
        moment = connection.ops.adapt_datetimefield_value(self._end(now))
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, [self.kind, key, moment, self._most])
            return bool(cursor.rowcount)

    def admit(self, key: str, now: datetime) -> None:
        """Count an act of `key`; raises RefusedError above the limit."""
        if not self.count(key, now):
            raise refused(self.refusal, self._most, self._end(now), now)

    @property
    def _most(self) -> int:
        most = getattr(settings, self.most) if isinstance(self.most, str) else self.most
        return self.factor * int(most)

    def _end(self, now: datetime) -> datetime:
        return now - (now - _EPOCH) % self.window + self.window


def refused(sentence: str, most: int, until: datetime, now: datetime) -> RefusedError:
    """The refusal (429) of an act above the limit of a window that ends at `until`.

    In the sentence for the visitor `{most}` is the limit, and `{wait}` the time until the end.
    """
    wait = max(1, ceil((until - now).total_seconds()))
    words = sentence.format(most=f"{most:,}", wait=in_words(wait))
    return RefusedError(f"Nothing was changed. {words}", 429, wait)


_NEW_BROWSERS = ActLimit(
    "new browsers",
    HOUR,
    "NEW_VISITORS_PER_NETWORK_PER_HOUR",
    "Your network has used up its {most} new browsers of an hour, which everybody on it shares."
    " Try again in {wait}.",
)


def admit_new_browser(network: str, now: datetime) -> None:
    """Count a browser of what `network_of` returned, which votes or saves a tool for the first
    time; raises RefusedError above the limit.
    """
    _NEW_BROWSERS.admit(hash_of_day(f"new visitors {network}", now), now)


def in_words(seconds: int) -> str:
    """A time to wait, rounded up: `40 seconds`, `45 minutes`, `3 hours and 5 minutes`."""
    if seconds <= 90:
        return f"{seconds} seconds" if seconds != 1 else "a second"
    hours, minutes = divmod(ceil(seconds / 60), 60)
    parts = [(hours, "hour"), (minutes, "minute")]
    return " and ".join(f"{n} {unit}{'s' * (n != 1)}" for n, unit in parts if n)


def delete_old_counts(now: datetime) -> int:
    """Delete the counts of windows that have ended; return how many."""
    return ActCount.objects.filter(until__lte=now).delete()[0]
