"""The public record of changed takes: a score or verdict that readers could see needs a reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from reviews.models import Take, TakeChange
from tools.models import Tool

WHAT_TO_ENTER = {
    "score": "Enter a score from 0 to 100",
    "verdict": "Choose a verdict",
}
"""The start of the error message for each field that a draft may lack."""

REASON_HELP = "One line for the public record; needed when the score or the verdict changes."
STILL_TRUE = "Read again today, and still true"
NEEDS_REASON = "Give the reason in one line; readers of the tool’s page see it."
DELETED_TAKE_WAS_PUBLIC = (
    "A public take of this reviewer on this tool was deleted. Bring it back from “Deleted "
    "takes” and change it there, so that the public record shows the change."
)
Judgement = tuple[int | None, str]
"""A score and a verdict; a draft may lack them."""


def judgement(take: Take) -> Judgement:
    """The score and the verdict of a take, without its text."""
    return take.score, take.verdict


def was_public(take: Take, tool: Tool, now: datetime) -> bool:
    """Whether readers could see this take on this tool, at `now` or earlier."""
    return take.has_been_public(now) and tool.has_been_public(now)


def deleted_while_public(tool: int, reviewer: int) -> bool:
    """Whether a take of a reviewer on a tool (primary keys) was deleted after readers could see
    it.
    """
    gone = Take.everything.deleted_after_publication()
    return gone.filter(tool=tool, reviewer=reviewer).exists()


def unfinished(score: object, verdict: object) -> list[str]:
    """The fields that a take with these values lacks: `score`, `verdict`, both or none."""
    return [
        name
        for name, is_missing in (("score", score is None), ("verdict", not verdict))
        if is_missing
    ]


def take_change(take: Take, before: Judgement, reason: str, now: datetime) -> TakeChange:
    """An unsaved TakeChange from the judgement `before` to the take's present one."""
    # For the type checker: readers could see both judgements, so neither lacks a score.
    assert before[0] is not None  # noqa: S101
    assert take.score is not None  # noqa: S101
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
    """Whether the take is old, so that the editor should read it again."""

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
        """Why the cleaned values of a form cannot be saved, by field: a take that is no draft lacks
        score or verdict, or the ones that readers see would change without a reason, or by an
        editor who may not publish.
        """
        after = cleaned.get("score"), cleaned.get("verdict")
        if lacking := [name for name in unfinished(*after) if name in cleaned]:
            return self._unfinished_errors(lacking, cleaned)
        if not self.was_public or None in after or after == self.before:
            return {}
        if not may_publish:
            score, verdict = self.before
            return {
                "score": f"Readers could see {score} and {verdict}, so a change goes on the public "
                "record: restore both, or ask a publisher to make the change."
            }
        return {} if cleaned.get("reason") else {"reason": NEEDS_REASON}

    def _unfinished_errors(self, lacking: list[str], cleaned: Mapping[str, Any]) -> dict[str, str]:
        """Why these fields cannot be empty; none for a draft that stays one."""
        if self.take.state(timezone.now()) == "public":
            why = "readers see this take. To remove it from the page, withdraw it."
        elif cleaned.get("published_at", self.take.published_at):
            why = "a take needs one to be published. Save it as a draft until then."
        elif self.take.withdrawn_at:
            why = "only a take that was never public can be without one."
        else:
            return {}
        return {name: f"{WHAT_TO_ENTER[name]}: {why}" for name in lacking}
