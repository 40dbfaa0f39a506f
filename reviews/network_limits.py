"""Limits of votes: of a visitor in a minute, of a network in a day.

Networks are stored as hashes, which are deleted with their salt after 48 hours.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, Q

from reviews.models import VoteEvent
from shipskip.limits.act_limits import DAY, MINUTE, ActLimit, refused
from shipskip.limits.daily_hashes import SALT_LIFETIME, hashes_of_day
from shipskip.web.network import wide_network_of
from tools.models import Tool

ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR = 5, 10
"""Limits as multiples of that for one tool: five for all tools together, ten for a wide network."""

DAILY_LIMITS = {
    "near_on_tool": (1, "Your network", "one tool"),
    "near": (ALL_TOOLS_FACTOR, "Your network", "all tools together"),
    "wide_on_tool": (WIDE_NETWORK_FACTOR, "The wider network around yours", "one tool"),
    "wide": (
        WIDE_NETWORK_FACTOR * ALL_TOOLS_FACTOR,
        "The wider network around yours",
        "all tools together",
    ),
}
"""The limits of a day: the factor of the setting, and the words for network and tools."""

VOTES_A_MINUTE = ActLimit(
    "votes",
    MINUTE,
    "VOTES_PER_VISITOR_PER_MINUTE",
    "This browser has used up its {most} votes, changes and take-backs of a minute. You can vote"
    " again in {wait}.",
)
"""Votes, changes and take-backs of one visitor."""


@dataclass(frozen=True)
class VoterHashes:
    """The day's hashes of a visitor, of a network (IPv4 /24, IPv6 /48) and of the wide one around
    it (/16, /32).
    """

    visitor: str
    near: str
    wide: str


def voter_hashes(visitor: UUID, network: str, now: datetime) -> VoterHashes:
    """The hashes of a visitor and of what `network_of` returned; one query.

    The day's first call writes the salt, and others wait for it until the transaction ends: lock a
    tally before this call, never after it, or two transactions can deadlock.
    """
    texts = [f"votes of {visitor}", network, f"wide {wide_network_of(network)}"]
    return VoterHashes(*hashes_of_day(texts, now))


def refuse_past_limits(tool: Tool, hashes: VoterHashes, now: datetime) -> None:
    """Raise RefusedError if an act on this tool would be above a limit of its network today.

    An advisory lock on the wide network until the transaction ends prevents a race condition:
    concurrent acts on several tools would not count each other. SQLite has one writer at a time.
    The hashes change at midnight (UTC), so the limits start again then. At most 50 times
    VOTES_PER_NETWORK_PER_DAY events have them, in one query.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            key = int(hashes.wide[:8], 16) % 2**31
            cursor.execute("SELECT pg_advisory_xact_lock(2, %s::int)", [key])
    near, same_tool = Q(network=hashes.near), Q(tool=tool)
    acts = VoteEvent.objects.filter(wide_network=hashes.wide).aggregate(
        near_on_tool=Count("pk", filter=near & same_tool),
        near=Count("pk", filter=near),
        wide_on_tool=Count("pk", filter=same_tool),
        wide=Count("pk"),
    )
    for name, (factor, where, what) in DAILY_LIMITS.items():
        most = settings.VOTES_PER_NETWORK_PER_DAY * factor
        if acts[name] >= most:
            sentence = (
                f"{where} has used up its {{most}} votes, changes and take-backs of a day on"
                f" {what}, which everybody on it shares. You can vote again after midnight UTC, in"
                " {wait}."
            )
            midnight = datetime.combine(now.date() + DAY, time(), UTC)
            raise refused(sentence, most, midnight, now)


def erase_old_network_hashes(now: datetime) -> int:
    """Erase the hashes that are 48 hours old or more; return how many rows."""
    until = now - SALT_LIFETIME
    events = VoteEvent.objects.filter(at__lte=until, wide_network__gt="")
    return events.update(network="", wide_network="")
