"""`review_votes`: releases or voids held votes, and deletes old salts and network hashes."""

from collections import defaultdict
from datetime import timedelta

from django.core.management.base import BaseCommand
from django.utils import timezone

from reviews import ballot, daily_hashes
from reviews.models import Vote, VoteState
from reviews.screening import judge

REVIEW_AFTER = timedelta(days=1)
BATCH = 500


class Command(BaseCommand):
    """Judge votes that were held for a day or more; run it daily."""

    help = "Releases or voids votes held for a day or more, by the rule in reviews/screening.py."

    def handle(self, *args: object, **options: object) -> None:
        """Judge each network's held votes on each tool together, and print the counts."""
        now = timezone.now()
        held = Vote.objects.filter(state=VoteState.HELD)
        groups: dict[tuple[int, str], list[Vote]] = defaultdict(list)
        for vote in held.order_by("tool_id", "pk").iterator():
            groups[vote.tool_id, vote.network].append(vote)
        done = {VoteState.COUNTED.value: 0, VoteState.VOID.value: 0}
        for votes in groups.values():
            if max(vote.cast_at for vote in votes) > now - REVIEW_AFTER:
                continue  # all or none: half of a script's votes look like few
            state, reason = judge([vote.choice for vote in votes])
            ids = [vote.pk for vote in votes]
            for start in range(0, len(ids), BATCH):
                done[state] += ballot.decide(ids[start : start + BATCH], state, reason, now)
        salts = daily_hashes.destroy_old_salts(now)
        hashes = ballot.erase_old_network_hashes(now)
        self.stdout.write(
            f"Released {done['counted']} held votes, voided {done['void']}. "
            f"Destroyed {salts} salts and {hashes} network hashes older than 48 hours."
        )
