"""What the panel adds to the past of a tool and of a take at the desk: its history, what a
deletion costs, and the public record when an earlier judgement is restored.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from reviews import record
from reviews.models import Take
from shipskip.web.editing.histories import HistoryAdmin
from shipskip.web.editing.holding import held
from shipskip.web.editing.removal import Loss, RemovalAdmin, depending, in_words
from tools.models import Tool


def hold_tools(keys: Any) -> None:
    """Hold the tools with these keys (a list or a subquery) ahead of their takes."""
    tools = Tool.everything.filter(pk__in=keys).order_by("pk")
    list(held(tools).values_list("pk"))


class ToolWithPast(HistoryAdmin, RemovalAdmin):
    """A tool's takes are told in its history; deleted, it keeps them, and its votes."""

    removes_softly = True

    def histories(self, obj: Tool) -> list["QuerySet[Any]"]:
        """The tool's own and those of its takes, deleted ones too."""
        return [*super().histories(obj), Take.history.filter(tool_id=obj.pk)]

    def subject_of(self, row: Take) -> str:
        """Whose take an entry is about."""
        return f"{row.reviewer}’s take"

    def losses(self, rows: Sequence[Tool]) -> list[Loss]:
        """Votes, takes, bookmarks and comparisons; five counts, whatever their number."""
        takes, public = Take.objects.on(rows), Take.objects.on(rows).published(timezone.now())
        seen = public.count()
        return [
            Loss(self._number(rows, "votes"), "vote", "votes", weighty=True),
            Loss(seen, "public take", "public takes", weighty=True),
            Loss(takes.count() - seen, "draft take", "draft takes"),
            Loss(self._number(rows, "bookmarks"), "bookmark", "bookmarks"),
            Loss(self._number(rows, "first_in", "second_in"), "comparison", "comparisons"),
        ]

    def returned(self, row: Tool) -> str:
        """All that was kept with it."""
        return in_words([str(loss) for loss in self.losses([row]) if loss.count])

    def _number(self, rows: Sequence[Tool], *names: str) -> int:
        """How many rows refer to these tools through the relations of these names."""
        return depending(rows, *(self.opts.get_field(name) for name in names)).count()


class TakeWithPast(HistoryAdmin, RemovalAdmin):
    """A take belongs to its tool and reviewer for good; a judgement readers saw is on record."""

    kept_by_restore = ("tool", "reviewer")

    def hold_above(self, pks: Sequence[Any]) -> None:
        """The tools of these takes: their screens save takes as well."""
        own = Take.objects.filter(pk__in=pks).order_by()
        hold_tools(own.values("tool"))

    def restore_needs_reason(self, obj: Take, version: Any, now: datetime) -> bool:
        """Whether readers can have seen another score or verdict than they would see then."""
        differs = record.judgement(obj) != record.judgement(version)
        return differs and record.seen(obj, obj.tool, now)

    def restored(self, obj: Take, before: Take, reason: str, now: datetime) -> None:
        """Keep the public record; a take that was put back was read again by an editor."""
        if self.restore_needs_reason(before, obj, now):
            record.change(obj, record.judgement(before), reason, now).save()
        Take.objects.filter(pk=obj.pk).update(checked_at=now)
