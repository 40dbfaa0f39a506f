"""Cast, change and withdraw a vote, so that none is lost and none counts twice.

Each change of a tool's votes takes the row lock of its tally (SQLite: the single writer) and writes
the vote, its event and the tally in one transaction. An act above a limit is refused and counted
nowhere.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from reviews import network_limits
from reviews.models import ToolTally, Voiding, Vote, VoteEvent
from reviews.scoring import Tally
from reviews.tallies import add, locked_tally
from shipskip.limits.act_limits import admit_new_browser
from shipskip.web.refusals import RefusedError
from shipskip.web.text import day_in_words
from shipskip.web.visitor import LIFETIME
from tools.models import Bookmark, Tool

GONE_AFTER = LIFETIME + timedelta(days=1)
"""After a visitor's last vote or bookmark: no browser has the cookie then."""


@dataclass(frozen=True)
class VisitorVote:
    """A visitor's counted choice on a tool (empty for none), its tally, and the message on both."""

    choice: str = ""
    tally: Tally = Tally()  # noqa: RUF009 - a frozen value
    message: str = ""
    is_stored: bool = False
    """Whether the act stored this choice: it was another one before."""


def cast(
    tool: Tool, visitor: UUID, choice: str, network: str, now: datetime, *, is_new: bool = False
) -> VisitorVote:
    """Set this visitor's vote on a tool to `choice`: `ship`, `skip`, or empty to withdraw it.

    Idempotent. `network` is the visitor's network as plain text, of which only the HMAC is stored.
    `is_new`: the visitor has no cookie yet. Raises RefusedError above a limit (429) or if an editor
    has voided the vote (409), and DatabaseError when the database does not answer; then nothing is
    written.
    """
    with transaction.atomic():
        tally = locked_tally(tool)
        # Lock the vote too: `forget` must not clear its visitor between this read and the write.
        own = Vote.objects.select_for_update(of=("self",)).select_related("voiding")
        vote = own.filter(tool=tool, visitor=visitor).first()
        vote = vote or Vote(visitor=visitor, choice="", cast_at=now)
        if vote.voiding:
            raise RefusedError(f"Nothing was changed. {_voided(vote.voiding)}", 409)
        vote.tool, before = tool, vote.choice
        if choice == before:
            return _shown(vote, tally.value)
        if is_new:
            admit_new_browser(network, now)
        hashes = network_limits.voter_hashes(visitor, network, now)
        network_limits.VOTES_A_MINUTE.admit(hashes.visitor, now)
        network_limits.refuse_past_limits(tool, hashes, now)
        vote.choice, vote.changed_at = choice, now
        if not choice:
            vote.delete()
        else:
            vote.save(update_fields=["choice", "changed_at"] if vote.pk else None)
        add(tally, {before: -1, choice: +1})
        VoteEvent.objects.create(
            tool=tool,
            visitor=visitor,
            before=before,
            after=choice,
            network=hashes.near,
            wide_network=hashes.wide,
            at=now,
        )
        return replace(_shown(vote, tally.value), is_stored=bool(choice))


def votes_of(visitor: UUID | None, tools: Collection[int]) -> dict[int, VisitorVote]:
    """This visitor's vote on each of these tools, by primary key; two queries, one for a reader."""
    tallies = ToolTally.tallies(tools) if tools else {}
    votes = {key: VisitorVote(tally=tallies.get(key, Tally())) for key in tools}
    if visitor and tools:
        own = Vote.objects.filter(visitor=visitor, tool__in=tools)
        for vote in own.select_related("voiding"):
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


def forget_gone(now: datetime) -> int:
    """Remove the ids of visitors whose cookie has ended from their votes, which stay, and delete
    their bookmarks; return how many rows were changed.

    A newer act of the visitor keeps them all.
    """
    end = now - GONE_AFTER
    acts = {Vote: "changed_at", VoteEvent: "at", Bookmark: "saved_at"}
    newer = [
        ~Exists(
            model._default_manager.filter(**{"visitor": OuterRef("visitor"), f"{moment}__gte": end})
        )
        for model, moment in acts.items()
    ]
    changed = 0
    with transaction.atomic():
        for model, moment in acts.items():
            old = model._default_manager.filter(
                *newer, visitor__isnull=False, **{f"{moment}__lt": end}
            )
            changed += old.delete()[0] if model is Bookmark else old.update(visitor=None)
    return changed


def _shown(vote: Vote, tally: Tally) -> VisitorVote:
    """The vote as its visitor sees it; a void one is no choice, but a message."""
    if vote.voiding:
        return VisitorVote(tally=tally, message=_voided(vote.voiding))
    return VisitorVote(vote.choice, tally, f"Your vote: {vote.choice}." if vote.choice else "")


def _voided(voiding: Voiding) -> str:
    """What the voter of a void vote reads."""
    day = day_in_words(voiding.voided_at.date())
    reason = f": {voiding.reason.rstrip('.')}" if voiding.is_listed else ""
    return f"An editor made your vote on this tool void on {day}{reason}. It does not count."
