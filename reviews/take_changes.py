"""The public record of changed takes: a score or verdict that readers could see needs a reason."""

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
DELETED_TAKE_WAS_PUBLIC = (
    "A public take of this reviewer on this tool was deleted. Bring it back from “Deleted "
    "takes” and change it there, so that the public record shows the change."
)
Judgement = tuple[int, str]
"""A score and a verdict."""


def judgement(take: Take) -> Judgement:
    """The score and the verdict of a take, without its text."""
    return take.score, take.verdict


def was_public(take: Take, tool: Tool, now: datetime) -> bool:
    """Whether readers could see this take on this tool, at `now` or earlier."""
    return take.has_been_public(now) and tool.has_been_public(now)


def deleted_while_public(tool: int, reviewer: int) -> bool:
    """Whether the last take of a reviewer on a tool (primary keys) was deleted after readers could
    see it.
    """
    versions = Take.history.filter(tool=tool, reviewer=reviewer)
    last = versions.order_by("-history_date", "-history_id").first()
    if last is None or last.history_type != "-":
        return False
    deleted_at = last.history_date
    return bool(last.withdrawn_at or (last.published_at and last.published_at <= deleted_at))


def take_change(take: Take, before: Judgement, reason: str, now: datetime) -> TakeChange:
    """An unsaved TakeChange from the judgement `before` to the take's present one."""
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
    """A take in an editor's form: its judgement before the edit, and whether it was public."""

    take: Take
    before: Judgement
    was_public: bool
    """Whether a change of score or verdict needs a reason and goes on the public record."""
    old: bool
    """Whether it is time to read it again."""

    @classmethod
    def of(cls, take: Take) -> "Revision":
        """The revision that starts from a take as it is stored."""
        now = timezone.now()
        public = bool(take.pk) and was_public(take, take.tool, now)
        return cls(take, judgement(take), public, bool(take.pk) and take.is_old(now))

    @property
    def omitted_fields(self) -> list[str]:
        """The fields that the take's form leaves out."""
        needed = {"reason": self.was_public, "still_true": self.old}
        return [name for name, is_needed in needed.items() if not is_needed]

    def errors(self, cleaned: Mapping[str, Any], *, may_publish: bool) -> dict[str, str]:
        """Why the cleaned values of a form cannot be saved, by field: the score or verdict that
        readers see would change without a reason, or by an editor who may not publish.
        """
        after = cleaned.get("score"), cleaned.get("verdict")
        if not self.was_public or None in after or after == self.before:
            return {}
        if not may_publish:
            score, verdict = self.before
            return {
                "score": f"Readers could see {score} and {verdict}, so a change goes on the public "
                "record: leave both as they were, or ask a publisher."
            }
        return {} if cleaned.get("reason") else {"reason": NEEDS_REASON}

    def save_change(self, reason: str) -> None:
        """Save a TakeChange, after the take itself, if readers could see what changed."""
        if self.was_public and judgement(self.take) != self.before:
            take_change(self.take, self.before, reason, timezone.now()).save()
