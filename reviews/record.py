"""The public record: what readers are told when a score or verdict they could see is changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from reviews.models import Take, TakeChange
from tools.models import Tool

REASON_HELP = "One line for the public record; needed when the score or the verdict changes."
STILL_TRUE = "Read again today, and still true"
NEEDS_REASON = "Give the reason in one line; readers of the tool’s page see it."
WAS_PUBLIC = (
    "Readers knew a take of this reviewer on this tool; it was deleted. Bring it back from "
    "“Deleted takes” and change it there, so that the public record tells of it."
)
Judgement = tuple[int, str]
"""A score and a verdict."""


def judgement(take: Take) -> Judgement:
    """What a take says, apart from its text."""
    return take.score, take.verdict


def seen(take: Take, tool: Tool, now: datetime) -> bool:
    """Whether readers can have read this take on this tool, at `now` or earlier."""
    return take.has_been_public(now) and tool.has_been_public(now)


def deleted_in_public(tool: int, reviewer: int) -> bool:
    """Whether the last take of a reviewer on a tool (primary keys) was deleted after readers could
    see it.
    """
    past = Take.history.filter(tool=tool, reviewer=reviewer)
    gone = past.order_by("-history_date", "-history_id").first()
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


@dataclass(frozen=True)
class Revision:
    """A take while an editor changes it: what it said before, and whether readers could know."""

    take: Take
    before: Judgement
    on_record: bool
    """Whether a change of score or verdict needs a reason and stands on the public record."""
    old: bool
    """Whether it is time to read it again."""

    @classmethod
    def of(cls, take: Take) -> "Revision":
        """The revision that begins with a take as it is stored."""
        now = timezone.now()
        on_record = bool(take.pk) and seen(take, take.tool, now)
        return cls(take, judgement(take), on_record, bool(take.pk) and take.is_old(now))

    @property
    def not_asked(self) -> list[str]:
        """The fields that its form does without."""
        asked = {"reason": self.on_record, "still_true": self.old}
        return [name for name, needed in asked.items() if not needed]

    def complaints(self, sent: Mapping[str, Any], *, may_publish: bool) -> dict[str, str]:
        """Why the cleaned values of a form cannot be saved, by field: readers would see another
        score or verdict without a reason, or by the hand of who cannot publish.
        """
        said = sent.get("score"), sent.get("verdict")
        if not self.on_record or None in said or said == self.before:
            return {}
        if not may_publish:
            told = (
                f"Readers could see {self.before[0]} and {self.before[1]}, so the change stands on "
                "the public record: leave both as they were, or ask a publisher."
            )
            return {"score": told}
        return {} if sent.get("reason") else {"reason": NEEDS_REASON}

    def keep_record(self, reason: str) -> None:
        """Write down, once the take is saved, what readers could see change."""
        if self.on_record and judgement(self.take) != self.before:
            change(self.take, self.before, reason, timezone.now()).save()
