"""Cast, change and withdraw a vote, so that none is lost and none counts twice.

Each change of a tool's votes takes the row lock of its tally (SQLite: the single writer) and writes
the vote, its event and the tally in one transaction. Votes of a network above its limits are held:
the visitor sees the vote as usual, and the tally keeps the choice that last counted.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from reviews import network_limits
from reviews.models import HeldGroup, ToolTally, Vote, VoteEvent, VoteState
from reviews.network_limits import NetworkHashes
from reviews.scoring import Tally
from reviews.tallies import add, locked_tally
from tools.models import Tool

RATE_WINDOW = timedelta(minutes=1)

CHANGED_FIELDS = ["choice", "kept_choice", "state", "group", "reason", "changed_at"]
"""The fields of a vote that an act may change."""


class TooManyVotesError(Exception):
    """A visitor reached the rate limit for changes of votes; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


@dataclass(frozen=True)
class VisitorVote:
    """A visitor's choice (empty for none) and the tool's tally, as this visitor sees them.

    The tally includes the visitor's own vote even if it is held or void, so that the numbers do not
    reveal that it was not counted.
    """

    choice: str = ""
    tally: Tally = Tally()  # noqa: RUF009 - a frozen value

    @property
    def message(self) -> str:
        """The choice, told to the visitor; empty without one."""
        return f"Your vote: {self.choice}." if self.choice else ""


def cast(
    tool: Tool, visitor: UUID, choice: str, network: str, now: datetime, *, is_new: bool = False
) -> VisitorVote:
    """Set this visitor's vote on a tool to `choice`: `ship`, `skip`, or empty to withdraw it.

    Idempotent. `network` is the visitor's network as plain text, of which only the HMAC is stored.
    `is_new`: the visitor has no cookie yet. Raises TooManyVotesError above
    VOTES_PER_VISITOR_PER_MINUTE changes, TooManyNewVisitorsError, and DatabaseError when the
    database does not answer; then nothing is written.
    """
    with transaction.atomic():
        tally = locked_tally(tool)
        # Lock the vote too: `forget` must not clear its visitor between this read and the write.
        own = Vote.objects.select_for_update(of=("self",)).select_related("group")
        vote = own.filter(tool=tool, visitor=visitor).first()
        vote = vote or Vote(visitor=visitor, choice="", cast_at=now)
        vote.tool, before = tool, vote.choice
        if choice == before:
            return _shown(vote, tally.value)
        hashes = network_limits.network_hashes(network, now)
        if is_new:
            network_limits.admit_new_visitor(hashes, now)
        network_limits.lock_counts(visitor, hashes)
        _enforce_rate_limit(visitor, now)
        _hold_past_limits(vote, hashes, now)
        vote.choice, vote.changed_at = choice, now
        _write(vote, tally, before, hashes)
        return _shown(vote, tally.value)


def votes_of(visitor: UUID | None, tools: Collection[int]) -> dict[int, VisitorVote]:
    """This visitor's vote on each of these tools, by primary key; two queries, one for a reader."""
    tallies = ToolTally.tallies(tools) if tools else {}
    votes = {key: VisitorVote(tally=tallies.get(key, Tally())) for key in tools}
    if visitor and tools:
        for vote in Vote.objects.filter(visitor=visitor, tool__in=tools):
            votes[vote.tool_id] = _shown(vote, votes[vote.tool_id].tally)
    return votes


def forget(visitor: UUID) -> None:
    """Remove the visitor's id from their votes; the votes stay, anonymous.

    The hash of their network stays for its usual 48 hours: if it were erased at once, those votes
    would no longer count towards the day's limit, and a script could vote and forget repeatedly.
    """
    with transaction.atomic():
        Vote.objects.filter(visitor=visitor).update(visitor=None)
        VoteEvent.objects.filter(visitor=visitor).update(visitor=None)


def _shown(vote: Vote, tally: Tally) -> VisitorVote:
    """The vote as its visitor sees it: the tally includes their own choice, counted or not."""
    return VisitorVote(vote.choice, tally.changed(vote.choice_in_tally, vote.choice))


def _hold_past_limits(vote: Vote, hashes: NetworkHashes, now: datetime) -> None:
    """Mark the vote as held if its network has reached a limit.

    A vote that is held or void stays so. A vote that counts makes the same queries as one that does
    not, so that the response time does not reveal which it is (timing attack).
    """
    room = network_limits.has_room(vote.tool, hashes)
    group = HeldGroup.objects.filter(tool=vote.tool, network=hashes.near).first()
    if vote.state == VoteState.COUNTED and not room:
        vote.kept_choice, vote.state, vote.reason = vote.choice, VoteState.HELD, ""
        vote.group = group or HeldGroup(tool=vote.tool, day=now.date(), network=hashes.near)


def _write(vote: Vote, tally: ToolTally, before: str, hashes: NetworkHashes) -> None:
    """Write a vote that was changed from `before`, its event, and its group or the tally."""
    counted = vote.state == VoteState.COUNTED
    if vote.state == VoteState.HELD and vote.group:
        HeldGroup.objects.touch(vote.group, vote.changed_at)
    else:  # even if it adds nothing: a void vote must take as long as one that counts
        add(tally, {before: -1, vote.choice: +1} if counted else {})
    if counted and not vote.choice:
        vote.delete()
    elif vote.pk:
        vote.save(update_fields=CHANGED_FIELDS)
    else:
        vote.network = hashes.near
        vote.save()
    VoteEvent.objects.create(
        tool=vote.tool,
        visitor=vote.visitor,
        before=before,
        after=vote.choice,
        state=vote.state,
        group=vote.group if vote.state == VoteState.HELD else None,
        network=hashes.near,
        wide_network=hashes.wide,
        at=vote.changed_at,
    )


def _enforce_rate_limit(visitor: UUID, now: datetime) -> None:
    """Raise TooManyVotesError when the visitor's changes of the last minute reach the limit."""
    limit = settings.VOTES_PER_VISITOR_PER_MINUTE
    recent = VoteEvent.objects.filter(visitor=visitor, reason="", at__gt=now - RATE_WINDOW)
    last = list(recent.order_by("-at").values_list("at", flat=True)[limit - 1 : limit])
    if last:
        wait = last[0] + RATE_WINDOW - now
        raise TooManyVotesError(max(1, int(wait.total_seconds() + 0.999)))
