"""The form of a tool, with the requirements of a published tool, and warnings."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html

from shipskip.editing.publishable_form import PublishableForm
from tools.models import SLUG_OF_DELETED, EntryPrice, Plan, Tool
from tools.models.sources import validate_without_tracking
from tools.tool_status import ToolStatus

NO_PRICING = "No pricing: readers will see no price on the page. “Free” is a price too."
EVIDENCE = {
    "status_on": "Give the day on which its maintenance ended: readers see it in every answer.",
    "status_source": "Give the page that says so: readers must be able to check an end.",
}
"""The fields that an end needs, and what is said if one is empty."""
FOLLOWS = "It follows from the plans below; without plans you can choose it here."


def has_typed_plans(sent: Mapping[str, Any]) -> bool:
    """Whether the submitted form of a tool has a plan with a price."""
    return any(
        name.startswith("plans-") and name.endswith("-amount") and str(text).strip()
        for name, text in sent.items()
    )


def has_typed_price(sent: Mapping[str, Any]) -> bool:
    """Whether the submitted form of a tool says what it costs."""
    return bool(str(sent.get("pricing", "")).strip()) or has_typed_plans(sent)


class EndedSlugs(forms.MultipleChoiceField):
    """Earlier addresses whose redirects to remove; one that does not exist any more is ignored."""

    widget = forms.CheckboxSelectMultiple

    def validate(self, value: list[str]) -> None:
        """Accept any value: one that is not an address of the tool changes nothing."""


class ToolForm(PublishableForm[Tool]):
    """A tool's own fields, and its earlier addresses."""

    ended = EndedSlugs(
        required=False,
        label="Remove the redirect of",
        help_text="Each redirects to this tool’s page; once removed, it is “page not found”.",
    )

    class Meta:
        model = Tool
        exclude = ["withdrawn_at", "deleted_at", "preview_key", "gone_from_source_on"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # If it was not sent, the page had plans instead, which a colleague has removed since.
        unsent = self.is_bound and self.instance.pk and self.add_prefix("entry") not in self.data
        if (self.has_stored_plans or unsent) and "entry" in self.fields:
            self.fields["entry"].disabled = True
            self.fields["entry"].help_text = FOLLOWS
        if self.instance._state.adding and "entry" in self.fields:
            # Nothing is chosen for the editor, because readers would see it.
            self.fields["entry"].required = False
            self.fields["entry"].widget = forms.Select(
                choices=[("", "Choose"), *EntryPrice.choices]
            )
            self.initial["entry"] = (kwargs.get("initial") or {}).get("entry", "")
        field = self.fields["ended"]
        if self.instance.pk and isinstance(field, EndedSlugs):
            slugs = self.instance.former_slugs.order_by("slug").values_list("slug", flat=True)
            field.choices = [(slug, slug) for slug in slugs]

    def add_error(self, field: str | None, error: Any) -> None:
        """Add a link to the deleted tools where a deleted tool has the slug."""
        for fault in getattr(error, "error_dict", {}).get("slug", []):
            if fault.code == SLUG_OF_DELETED:
                url = reverse("admin:tools_tool_deleted")
                link = format_html('<a href="{}">Deleted tools</a>', url)
                fault.message = format_html("{} See {}.", fault.message, link)
        super().add_error(field, error)

    def find_cautions(self) -> dict[str, str]:
        """Warn about a tool without a price."""
        has_price = self.shown("pricing").strip() or self.has_plans
        return {"pricing": "" if has_price else NO_PRICING}

    @cached_property
    def has_stored_plans(self) -> bool:
        """Whether the tool has plans before the save."""
        return bool(self.instance.pk) and Plan.objects.filter(tool=self.instance).exists()

    @property
    def has_plans(self) -> bool:
        """Whether the form shows plans."""
        return has_typed_plans(self.data) if self.is_bound else self.has_stored_plans

    def clean_entry(self) -> str:
        """The entry price; that of a new tool with plans follows from them when they are saved."""
        entry = str(self.cleaned_data["entry"])
        if not entry and not self.has_plans:
            raise forms.ValidationError(
                "Choose what it costs to start, or enter its plans, from which it follows."
            )
        return entry or EntryPrice.FREE

    def clean_status_source(self) -> str:
        """The source of the status; a new one must not follow its readers."""
        source = str(self.cleaned_data["status_source"])
        if "status_source" in self.changed_data:
            validate_without_tracking(source)
        return source

    def clean(self) -> dict[str, Any]:
        """Require a tagline to publish a tool; lists show it below the name."""
        cleaned = super().clean()
        moment = cleaned.get("published_at", self.instance.published_at)
        if moment and not cleaned.get("tagline") and "tagline" not in self.errors:
            self.add_error(
                "tagline",
                "A public tool needs a tagline: write one line that says what it does, or save "
                "the tool as a draft.",
            )
        self._check_status(cleaned)
        return cleaned

    def _check_status(self, cleaned: dict[str, Any]) -> None:
        """Require the evidence of an end that is entered or changed; older rows may lack it."""
        is_touched = not {"status", *EVIDENCE}.isdisjoint(self.changed_data)
        if cleaned.get("status") == ToolStatus.DISCONTINUED and is_touched:
            for name, sentence in EVIDENCE.items():
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, sentence)
