"""Casting, changing and withdrawing a vote, so that none is lost and none counts twice.

Each change of a tool's votes locks its tally row (SQLite: the single writer) and writes the vote,
its event and the tally in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Coalesce

from reviews.daily_hashes import SALT_LIFETIME, hash_of_day
from reviews.models import ToolTally, Vote, VoteEvent, VoteState
from reviews.scoring import Tally
from tools.models import Tool

TRUSTED_AFTER = timedelta(days=1)
"""A visitor is trusted from a day after their first counted vote."""

RATE_WINDOW = timedelta(minutes=1)


class TooManyVotesError(Exception):
    """A visitor reached the rate limit for changes of votes; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Ballot:
    """A visitor's choice (empty for none) and the tool's tally, as this visitor sees them.

    The tally includes the visitor's own vote even if it is held or void, so that the numbers do not
    reveal that it was not counted.
    """

    choice: str = ""
    tally: Tally = Tally()  # noqa: RUF009 - a frozen value


def cast(tool: Tool, visitor: UUID, choice: str, network: str, now: datetime) -> Ballot:
    """Make `choice` (`ship`, `skip`, or empty to take back) this visitor's vote on a tool.

    Repeating a choice changes nothing. `network` is where the vote comes from, as plain text; only
    its HMAC is stored. Raises TooManyVotesError past VOTES_PER_VISITOR_PER_MINUTE changes, and
    DatabaseError when the database does not answer; nothing is written then.
    """
    with transaction.atomic():
        tally = _locked_tally(tool)
        # Locked too: `forget` must not clear its visitor between this read and the write.
        own = Vote.objects.filter(tool=tool, visitor=visitor)
        vote = own.select_for_update().only("choice", "state").first()
        before, state = (vote.choice, vote.state) if vote else ("", "")
        if choice == before:
            return _shown(choice, state, tally.value)
        _enforce_rate_limit(visitor, now)
        if not choice:
            own.delete()
        elif vote:
            own.update(choice=choice, changed_at=now)
        else:
            network_hash = hash_of_day(network, now)
            state = _state_of_new(tool, visitor, network_hash, now)
            _write(tool, visitor, choice, state, network_hash, now)
        VoteEvent.objects.create(
            tool=tool, visitor=visitor, before=before, after=choice, state=state, at=now
        )
        _add(tally, {before: -1, choice: +1} if state == VoteState.COUNTED else {})
        return _shown(choice, state, tally.value)


def ballots_of(visitor: UUID | None, tools: Sequence[Tool]) -> dict[int, Ballot]:
    """This visitor's ballot on each tool, by primary key; one query, none for a reader.

    The tools come with their tallies (`with_tally`).
    """
    found: dict[int, tuple[str, str]] = {}
    if visitor and tools:
        votes = Vote.objects.filter(visitor=visitor, tool__in=tools)
        rows = votes.values_list("tool_id", "choice", "state")
        found = {tool: (choice, state) for tool, choice, state in rows}
    return {tool.pk: _shown(*found.get(tool.pk, ("", "")), ToolTally.of(tool)) for tool in tools}


def decide(vote_ids: list[int], state: str, reason: str, now: datetime) -> int:
    """Release (`counted`) or void (`void`) votes with a reason; return how many changed."""
    changed = 0
    tools = Tool.objects.filter(votes__in=vote_ids).distinct().order_by("pk")
    for tool in tools:
        with transaction.atomic():
            tally = _locked_tally(tool)
            chosen = Vote.objects.select_for_update().filter(pk__in=vote_ids, tool=tool)
            for vote in chosen.exclude(state=state):
                delta = (state == VoteState.COUNTED) - (vote.state == VoteState.COUNTED)
                Vote.objects.filter(pk=vote.pk).update(state=state, reason=reason, changed_at=now)
                VoteEvent.objects.create(
                    tool=tool,
                    visitor=vote.visitor,
                    before=vote.choice,
                    after=vote.choice,
                    state=state,
                    reason=reason,
                    at=now,
                )
                _add(tally, {vote.choice: delta})
                changed += 1
    return changed


def forget(visitor: UUID) -> None:
    """Remove the visitor's id from their votes; the votes stay, anonymous.

    The hash of their network stays for its usual 48 hours: if it went at once, forgetting would
    make room under the day's cap, and a script could vote and forget all day long.
    """
    with transaction.atomic():
        Vote.objects.filter(visitor=visitor).update(visitor=None)
        VoteEvent.objects.filter(visitor=visitor).update(visitor=None)


@dataclass(frozen=True)
class Drift:
    """A tool whose stored tally differs from its counted votes."""

    tool_id: int
    stored: Tally
    counted: Tally


def drifts() -> list[Drift]:
    """Every tool whose tally differs from its votes, by primary key.

    One query, so votes and tallies are of the same moment even while visitors vote.
    """
    counted = Q(votes__state=VoteState.COUNTED)
    rows = (
        Tool.objects.order_by("pk")
        .values("pk")
        .annotate(
            stored_ship=Coalesce(Max("tally_row__ship"), 0),
            stored_skip=Coalesce(Max("tally_row__skip"), 0),
            ship=Count("votes", filter=counted & Q(votes__choice="ship")),
            skip=Count("votes", filter=counted & Q(votes__choice="skip")),
        )
        .exclude(stored_ship=F("ship"), stored_skip=F("skip"))
    )
    return [
        Drift(
            row["pk"],
            Tally(row["stored_ship"], row["stored_skip"]),
            Tally(row["ship"], row["skip"]),
        )
        for row in rows
    ]


def recount(tool_id: int) -> Tally:
    """Rebuild one tool's tally from its votes, while its row is locked against new votes."""
    with transaction.atomic():
        tool = Tool.objects.get(pk=tool_id)
        row = _locked_tally(tool)
        found = Vote.objects.filter(tool=tool, state=VoteState.COUNTED).aggregate(
            ship=Count("pk", filter=Q(choice="ship")), skip=Count("pk", filter=Q(choice="skip"))
        )
        row.ship, row.skip = found["ship"], found["skip"]
        row.save(update_fields=["ship", "skip"])
    return row.value


def erase_old_network_hashes(now: datetime) -> int:
    """Erase the network hashes of votes cast 48 hours ago or more; return how many.

    Held votes keep theirs until they are reviewed.
    """
    old = Vote.objects.filter(cast_at__lte=now - SALT_LIFETIME).exclude(network="")
    return old.exclude(state=VoteState.HELD).update(network="")


def counts_by_state() -> dict[str, int]:
    """The number of votes in each state, for the methodology page."""
    rows = dict(Vote.objects.order_by().values_list("state").annotate(total=Count("pk")))
    return {state.value: rows.get(state.value, 0) for state in VoteState}


def _shown(choice: str, state: str, tally: Tally) -> Ballot:
    """The ballot as its visitor sees it: their own vote is in the tally, counted or not."""
    if choice and state != VoteState.COUNTED:
        tally = tally.plus(choice)
    return Ballot(choice, tally)


def _locked_tally(tool: Tool) -> ToolTally:
    """The tool's tally row, created if missing, locked until the transaction ends."""
    locked = ToolTally.objects.select_for_update()
    row = locked.filter(tool=tool).first()
    if row is None:
        ToolTally.objects.bulk_create([ToolTally(tool=tool)], ignore_conflicts=True)
        row = locked.get(tool=tool)
    return row


def _write(
    tool: Tool, visitor: UUID, choice: str, state: str, network_hash: str, now: datetime
) -> None:
    """Write a first vote in one statement: inserted, or its choice changed."""
    vote = Vote(
        tool=tool,
        visitor=visitor,
        choice=choice,
        state=state,
        network=network_hash,
        cast_at=now,
        changed_at=now,
    )
    Vote.objects.bulk_create(
        [vote],
        update_conflicts=True,
        unique_fields=["tool", "visitor"],
        update_fields=["choice", "changed_at"],
    )


def _state_of_new(tool: Tool, visitor: UUID, network_hash: str, now: datetime) -> str:
    """The state of a first vote: held above the network's daily cap unless trusted."""
    last = VoteEvent.objects.filter(tool=tool, visitor=visitor).order_by("-pk").first()
    if last and last.state != VoteState.COUNTED:
        return last.state  # taking a held vote back and casting it again does not free it
    cap = settings.VOTES_PER_NETWORK_PER_DAY
    if Vote.objects.filter(tool=tool, network=network_hash)[:cap].count() < cap:
        return VoteState.COUNTED
    trusted = Vote.objects.filter(
        visitor=visitor, state=VoteState.COUNTED, cast_at__lte=now - TRUSTED_AFTER
    ).exists()
    return VoteState.COUNTED if trusted else VoteState.HELD


def _enforce_rate_limit(visitor: UUID, now: datetime) -> None:
    """Raise TooManyVotesError when the visitor's changes of the last minute reach the limit."""
    limit = settings.VOTES_PER_VISITOR_PER_MINUTE
    recent = VoteEvent.objects.filter(visitor=visitor, reason="", at__gt=now - RATE_WINDOW)
    last = list(recent.order_by("-at").values_list("at", flat=True)[limit - 1 : limit])
    if last:
        wait = last[0] + RATE_WINDOW - now
        raise TooManyVotesError(max(1, int(wait.total_seconds() + 0.999)))


def _add(tally: ToolTally, changes: dict[str, int]) -> None:
    """Add to the tally's counts, in the database and on this object."""
    ship, skip = changes.get("ship", 0), changes.get("skip", 0)
    # Written even when it adds nothing: a held vote must take as long as one that counts.
    ToolTally.objects.filter(pk=tally.pk).update(ship=F("ship") + ship, skip=F("skip") + skip)
    tally.ship += ship
    tally.skip += skip
