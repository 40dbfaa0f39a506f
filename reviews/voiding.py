"""Void counted votes, and undo it within a day; the tally changes in the same transactions."""

from collections import Counter
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce

from reviews.models import Voiding, Vote, VoteQuerySet
from reviews.tallies import add, locked_tally

UNDO_WITHIN = timedelta(days=1)
BATCH = 500
"""Votes changed in one transaction; until it ends, other votes on the tool wait."""


def void(voiding: Voiding, votes: VoteQuerySet) -> int:
    """Save `voiding` and void the counted ones of these votes on its tool; return how many.

    Without any counted vote nothing is saved. In batches; to finish an interrupted one, void the
    rest in the same way.
    """
    counted = votes.counted().filter(tool=voiding.tool)
    if counted.exists():
        voiding.save(force_insert=True)
        while _move_batch(voiding, counted, to=voiding):
            pass
        voiding.refresh_from_db(fields=["votes"])
    return voiding.votes


def undo(voiding: Voiding, now: datetime) -> int:
    """Count the votes again; return how many. Repeatable; 0 when the day has passed."""
    with transaction.atomic():
        locked_tally(voiding.tool)  # wait for a batch that is being voided: no other follows
        recent = Voiding.objects.filter(pk=voiding.pk, voided_at__gt=now - UNDO_WITHIN)
        if not recent.update(undone_at=Coalesce("undone_at", now)):
            return 0
    changed = 0
    while moved := _move_batch(voiding, Vote.objects.filter(voiding=voiding), to=None):
        changed += moved
    return changed


def _move_batch(voiding: Voiding, votes: VoteQuerySet, *, to: Voiding | None) -> int:
    """Void some of these votes, or count them again; return how many."""
    with transaction.atomic():
        tally = locked_tally(voiding.tool)
        rows = Voiding.objects.filter(pk=voiding.pk)
        if to and not rows.filter(undone_at=None).exists():
            return 0
        batch = list(votes.order_by("pk").select_for_update()[:BATCH])
        if batch:
            Vote.objects.filter(pk__in=[vote.pk for vote in batch]).update(voiding=to)
            sign = -1 if to else 1
            chosen = Counter(vote.choice for vote in batch)
            add(tally, {choice: sign * number for choice, number in chosen.items()})
            if to:
                rows.update(votes=F("votes") + len(batch))
        return len(batch)
