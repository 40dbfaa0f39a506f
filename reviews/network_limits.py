"""Rate limits per network: acts that change a tally in a day, and new visitors in an hour.

Networks are stored as hashes, whose salt and counts are deleted after 48 hours.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q

from reviews.daily_hashes import SALT_LIFETIME, hashes_of_day, last_destroyed
from reviews.models import HeldGroup, NewVisitors, Vote, VoteEvent, VoteState
from shipskip.web.network import wide_network_of
from tools.models import Tool

ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR = 5, 10
"""Limits as multiples of that for one tool: five for all tools together, ten for a wide network."""

HOUR = timedelta(hours=1)


class TooManyNewVisitorsError(Exception):
    """A network reached its limit of new visitors; `retry_after` is in seconds.

    The text is for the visitor.
    """

    def __init__(self, retry_after: int) -> None:
        wait = f"try again in {ceil(retry_after / 60)} minutes."
        super().__init__(
            f"Too many new browsers from your network in an hour. Nothing was changed; {wait}"
        )
        self.retry_after = retry_after


@dataclass(frozen=True)
class NetworkHashes:
    """The day's hashes of a network (IPv4 /24, IPv6 /48) and of the wide one around it (/16, /32).

    `visitors` is another hash of the same network, so that counts of new visitors cannot be linked
    to votes.
    """

    near: str
    wide: str
    visitors: str


def network_hashes(network: str, now: datetime) -> NetworkHashes:
    """The hashes of what `network_of` returned; one query.

    The day's first call writes the salt, and others wait for it until the transaction ends: lock a
    tally before this call, never after it, or two transactions can deadlock.
    """
    texts = [network, f"wide {wide_network_of(network)}", f"new visitors {network}"]
    return NetworkHashes(*hashes_of_day(texts, now))


def lock_counts(visitor: UUID, hashes: NetworkHashes) -> None:
    """Take advisory locks on this visitor and this network until the transaction ends.

    They prevent a race condition: concurrent acts on several tools would not count each other.
    SQLite has one writer at a time.
    """
    if connection.vendor == "postgresql":
        keys = [visitor.int % 2**31, int(hashes.wide[:8], 16) % 2**31]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(1, %s::int), pg_advisory_xact_lock(2, %s::int)", keys
            )


def has_room(tool: Tool, hashes: NetworkHashes) -> bool:
    """Whether one more act of this network on this tool may change its tally today.

    The limits apply to acts that counted: at most 50 times VOTES_PER_NETWORK_PER_DAY, in one query.
    """
    near, same_tool = Q(network=hashes.near), Q(tool=tool)
    counted = VoteEvent.objects.filter(wide_network=hashes.wide, state=VoteState.COUNTED)
    acts = counted.aggregate(
        near_on_tool=Count("pk", filter=near & same_tool),
        near=Count("pk", filter=near),
        wide_on_tool=Count("pk", filter=same_tool),
        wide=Count("pk"),
    )
    cap = settings.VOTES_PER_NETWORK_PER_DAY
    caps = {
        "near_on_tool": cap,
        "near": cap * ALL_TOOLS_FACTOR,
        "wide_on_tool": cap * WIDE_NETWORK_FACTOR,
        "wide": cap * WIDE_NETWORK_FACTOR * ALL_TOOLS_FACTOR,
    }
    return all(acts[name] < most for name, most in caps.items())


def admit_new_visitor(hashes: NetworkHashes, now: datetime) -> None:
    """Count a new visitor of a network in this hour of the clock, for votes and bookmarks alike.

    One conditional UPDATE, with a row lock until the transaction ends. Raises
    TooManyNewVisitorsError above NEW_VISITORS_PER_NETWORK_PER_HOUR.
    """
    hour = now.replace(minute=0, second=0, microsecond=0)
    row = NewVisitors(network=hashes.visitors, hour=hour)
    NewVisitors.objects.bulk_create([row], ignore_conflicts=True)
    under = NewVisitors.objects.filter(
        network=hashes.visitors,
        hour=hour,
        visitors__lt=settings.NEW_VISITORS_PER_NETWORK_PER_HOUR,
    )
    if not under.update(visitors=F("visitors") + 1):
        raise TooManyNewVisitorsError(ceil((hour + HOUR - now).total_seconds()))


def erase_old_network_hashes(now: datetime) -> int:
    """Erase the hashes that are 48 hours old or more, of held votes too; return how many rows."""
    until = now - SALT_LIFETIME
    votes = Vote.objects.filter(cast_at__lte=until).exclude(network="")
    events = VoteEvent.objects.filter(at__lte=until, wide_network__gt="")
    groups = HeldGroup.objects.filter(day__lte=last_destroyed(now), network__isnull=False)
    visitors = NewVisitors.objects.filter(hour__lte=until)
    return (
        votes.update(network="")
        + events.update(network="", wide_network="")
        + groups.update(network=None)
        + visitors.delete()[0]
    )
