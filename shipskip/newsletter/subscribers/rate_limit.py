"""Rate limit of requests to join, per network and day. Networks are stored as hashes, 48 hours."""

from datetime import datetime

from django.conf import settings
from django.db.models import F

from reviews import daily_hashes
from shipskip.newsletter.subscribers.models import JoinNetwork


def admit(network: str, now: datetime) -> bool:
    """Count one request to join from `network` (plain text); return whether it is within the limit.

    Above the limit nothing is written, so that a flood of requests takes no lock. Below it one
    conditional UPDATE counts, so that concurrent requests cannot exceed the limit. The hash differs
    from that of the network's votes on the same day.
    """
    day, network_hash = now.date(), daily_hashes.hash_of_day(f"join {network}", now)
    limit = settings.JOINS_PER_NETWORK_PER_DAY
    of_today = JoinNetwork.objects.filter(day=day, network=network_hash)
    if of_today.filter(joins__gte=limit).exists():
        return False
    row = JoinNetwork(day=day, network=network_hash)
    JoinNetwork.objects.bulk_create([row], ignore_conflicts=True)
    return bool(of_today.under(limit).update(joins=F("joins") + 1))


def delete_old_networks(now: datetime) -> int:
    """Delete the counts of days that started 48 hours ago or more; return how many."""
    return JoinNetwork.objects.filter(day__lte=daily_hashes.last_destroyed(now)).delete()[0]
