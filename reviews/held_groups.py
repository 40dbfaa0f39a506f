"""Decisions on held votes: an editor releases or voids them; after 14 days they are voided."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q

from reviews.models import HeldGroup, Vote, VoteDay, VoteEvent, VoteState
from reviews.tallies import add, locked_tally
from tools.models import Tool

UNDECIDED_FOR = timedelta(days=14)
UNDECIDED = "nobody decided within 14 days"
BATCH = 500
"""Votes decided in one transaction; until it ends, other votes on the tool wait."""


def decide(vote_ids: Sequence[int], state: str, reason: str, now: datetime) -> int:
    """Release (`counted`) or void (`void`) votes with a reason; return how many changed.

    A released vote counts with its visitor's own choice. If a held vote is voided, the tally keeps
    the choice that last counted; a counted vote that is voided is removed from the tally.
    """
    changed = 0
    for tool in Tool.everything.filter(votes__in=vote_ids).distinct().order_by("pk"):
        with transaction.atomic():
            tally = locked_tally(tool)
            chosen = Vote.objects.filter(pk__in=vote_ids, tool=tool).exclude(state=state)
            votes = list(chosen.select_for_update())
            changes = Counter[str]()
            for vote in votes:
                changes[vote.choice_in_tally] -= 1
                changes[vote.choice if state == VoteState.COUNTED else vote.kept_choice] += 1
            VoteEvent.objects.bulk_create(_event(vote, state, reason, now) for vote in votes)
            if state == VoteState.COUNTED:
                chosen.filter(choice="").delete()
                chosen.update(kept_choice="")
            chosen.update(state=state, reason=reason)
            add(tally, changes)
        changed += len(votes)
    return changed


def decide_group(group: HeldGroup, state: str, reason: str, now: datetime) -> int:
    """Release or void the votes of a group that have the group's state; return how many changed.

    In batches, so that voters of the tool wait for one batch at most. To finish an interrupted
    decision, call it again.
    """
    if group.state == state:
        return 0
    groups = HeldGroup.objects.filter(pk=group.pk)
    with transaction.atomic():
        locked_tally(group.tool)  # wait for votes that are being added to the group
        groups.update(network=None)
    changed = 0
    votes = Vote.objects.filter(group=group, state=group.state).order_by("pk")
    while ids := list(votes.values_list("pk", flat=True)[:BATCH]):
        changed += decide(ids, state, reason, now)
    # If two editors decide at the same moment, the first commit wins.
    groups.filter(state=group.state).update(state=state, reason=reason, decided_at=now)
    return changed


def void_undecided(now: datetime) -> int:
    """Void votes that were held 14 days ago or earlier; return how many."""
    last_day = (now - UNDECIDED_FOR).date()
    groups = HeldGroup.objects.held().filter(day__lte=last_day).select_related("tool")
    # The previous release had no groups: its workers held votes without one until they stopped.
    single = Vote.objects.held().filter(group=None, cast_at__date__lte=last_day)
    ids = list(single.values_list("pk", flat=True))
    return decide(ids, VoteState.VOID, UNDECIDED, now) + sum(
        decide_group(group, VoteState.VOID, UNDECIDED, now) for group in groups
    )


def store_finished_days(now: datetime) -> None:
    """Store the numbers of each day that has ended since the last stored one."""
    yesterday = now.date() - timedelta(days=1)
    newest = VoteDay.objects.order_by("-day").values_list("day", flat=True).first()
    day = newest + timedelta(days=1) if newest else yesterday
    while day <= yesterday:
        acts = VoteEvent.objects.filter(at__date=day)
        found = acts.aggregate(
            counted=Count("pk", filter=Q(state=VoteState.COUNTED, reason="")),
            held=Count("pk", filter=Q(state=VoteState.HELD)),
            void=Count("pk", filter=Q(state=VoteState.VOID) & ~Q(reason="")),
        )
        VoteDay.objects.bulk_create([VoteDay(day=day, **found)], ignore_conflicts=True)
        day += timedelta(days=1)


def _event(vote: Vote, state: str, reason: str, now: datetime) -> VoteEvent:
    """The event of a decision about a vote."""
    return VoteEvent(
        tool_id=vote.tool_id,
        visitor=vote.visitor,
        before=vote.choice,
        after=vote.choice,
        state=state,
        reason=reason,
        at=now,
    )
