"""The form of one take on its own admin page."""

from typing import Any

from reviews.models import Take
from reviews.take_editing import EditedTakeForm
from shipskip.editing.edit_conflicts import Conflict


class TakeForm(EditedTakeForm):
    """A take; its tool and reviewer cannot be changed once it is saved."""

    class Meta:
        model = Take
        fields = [
            "tool",
            "reviewer",
            "score",
            "verdict",
            "basis",
            "because",
            "body",
            "published_at",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in {"tool", "reviewer"} & set(self.fields):
                self.fields[name].disabled = True

    def clean(self) -> dict[str, Any]:
        """Show the take that exists already, instead of adding another."""
        cleaned = super().clean()
        tool, reviewer = cleaned.get("tool"), cleaned.get("reviewer")
        if tool and reviewer and not self.instance.pk:
            earlier = Take.objects.on([tool]).by(reviewer).first()
            if earlier:
                self._show_conflict(earlier)
            else:
                self.refuse_if_deleted(tool.pk, reviewer.pk)
        return cleaned

    def _show_conflict(self, earlier: Take) -> None:
        """Show the stored take of this reviewer on this tool beside the one typed here."""
        theirs = TakeForm(instance=earlier)
        self.stored = theirs.stored
        who, when = theirs.last_saved()
        names = ("score", "verdict", "basis", "because", "body")
        rows: list[tuple[str, str, str | None]] = [
            (str(self[n].label), theirs.shown(n), self.shown(n)) for n in names
        ]
        self.conflict = Conflict(who, when, [*rows])
        self.add_error(
            "reviewer",
            f"{earlier.reviewer} has a take on this tool already. Both are shown above: copy what "
            "you want to keep of yours, and change that one.",
        )
