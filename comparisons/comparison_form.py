"""The desk's form of a comparison."""

from typing import Any

from django.core.exceptions import ValidationError

from comparisons.models import Comparison
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.row_list import ACT_SUFFIX

REARRANGED = "The tools are rearranged and not saved yet."


class ComparisonForm(PublishableForm[Comparison]):
    """A comparison's fields; a button that rearranges its tools shows the form again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound and "tool_ids" in self.fields:
            pressed = self.data.get(f"{self.add_prefix('tool_ids')}{ACT_SUFFIX}", "")
            self.fields["tool_ids"].widget.act = pressed
        elif "choose_if" in self.fields:
            texts = self.initial.get("choose_if") or {}
            shown = [texts.get(str(key), "") for key in self.initial.get("tool_ids", ())]
            self.fields["tool_ids"].widget.texts = shown

    def full_clean(self) -> None:
        """Validate the form; after a button that rearranges its tools, add only that message."""
        super().full_clean()
        if self.is_bound and "choose_if" in self.fields:
            shown = [text for _, text in self["choose_if"].data]
            self.fields["tool_ids"].widget.texts = shown
            if faults := self.errors.pop("choose_if", None):
                self.add_error("tool_ids", faults.as_data())
        if "tool_ids" in self.fields and self.fields["tool_ids"].widget.act:
            self.errors.clear()
            self.add_error(None, ValidationError(REARRANGED))
