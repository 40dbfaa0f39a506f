"""How often one network may ask to join in a day. Networks are known by a hash, for 48 hours."""

from datetime import datetime

from django.conf import settings
from django.db.models import F

from reviews import daily_hashes
from shipskip.newsletter.subscribers.models import JoinNetwork


def admit(network: str, now: datetime) -> bool:
    """Count one request to join from a network, in the clear; whether it is within the day's limit.

    The count is raised by one conditional statement, so that many at once cannot pass it. The hash
    is not the one that the network's votes have that day.
    """
    day, known_as = now.date(), daily_hashes.hash_of_day(f"join {network}", now)
    row = JoinNetwork(day=day, network=known_as)
    JoinNetwork.objects.bulk_create([row], ignore_conflicts=True)
    within = JoinNetwork.objects.under(settings.JOINS_PER_NETWORK_PER_DAY)
    return bool(within.filter(day=day, network=known_as).update(joins=F("joins") + 1))


def destroy_old_networks(now: datetime) -> tuple[int, int]:
    """Destroy the salts and the counts of days that began 48 hours ago or more; how many each."""
    counts = JoinNetwork.objects.filter(day__lte=daily_hashes.last_destroyed(now))
    return daily_hashes.destroy_old_salts(now), counts.delete()[0]
