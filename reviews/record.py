"""The public record: what readers are told when a score or verdict they could see is changed."""

from datetime import datetime

from reviews.models import Reviewer, Take, TakeChange
from tools.models import Tool

Judgement = tuple[int, str]
"""A score and a verdict."""


def judgement(take: Take) -> Judgement:
    """What a take says, apart from its text."""
    return take.score, take.verdict


def seen(take: Take, tool: Tool, now: datetime) -> bool:
    """Whether readers can have read this take on this tool, at `now` or earlier."""
    return take.has_been_public(now) and tool.has_been_public(now)


def deleted_in_public(tool: Tool, reviewer: Reviewer) -> bool:
    """Whether the last take of a reviewer on a tool was deleted after readers could see it."""
    last = Take.history.filter(tool=tool, reviewer=reviewer).order_by(
        "-history_date", "-history_id"
    )
    gone = last.first()
    if gone is None or gone.history_type != "-":
        return False
    since = gone.history_date
    return bool(gone.withdrawn_at or (gone.published_at and gone.published_at <= since))


def change(take: Take, before: Judgement, reason: str, now: datetime) -> TakeChange:
    """The entry, not saved yet, for a take that said `before` and now says something else."""
    return TakeChange(
        tool_id=take.tool_id,
        reviewer_id=take.reviewer_id,
        score_before=before[0],
        verdict_before=before[1],
        score_after=take.score,
        verdict_after=take.verdict,
        reason=reason,
        at=now,
    )
