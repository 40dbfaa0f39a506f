"""The form of a tool, with the requirements of a published tool, and warnings."""

from typing import Any

from django import forms
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from shipskip.editing.publishable_form import PublishableForm
from tools.models import SLUG_OF_DELETED, Plan, Tool

NO_PRICING = "No pricing: readers will see no price on the page. “Free” is a price too."
FOLLOWS = "It follows from the plans below; without plans you can choose it here."


class EndedSlugs(forms.MultipleChoiceField):
    """Earlier addresses whose redirects to remove; one that does not exist any more is ignored."""

    widget = forms.CheckboxSelectMultiple

    def validate(self, value: list[str]) -> None:
        """Accept any value: one that is not an address of the tool changes nothing."""


class ToolForm(PublishableForm[Tool]):
    """A tool's own fields, its earlier addresses, and whether its drafts go public with it."""

    ended = EndedSlugs(
        required=False,
        label="Remove the redirect of",
        help_text="Each redirects to this tool’s page; once removed, it is “page not found”.",
    )
    with_takes = forms.BooleanField(
        required=False,
        label="Publish its draft takes with it",
        help_text="Publish now and Schedule do the same to each draft, and to each take that is "
        "scheduled with the tool. If the tool is public already, saving publishes them.",
    )

    class Meta:
        model = Tool
        exclude = ["withdrawn_at", "deleted_at", "preview_key"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        public = self.instance.state(timezone.now()) == "public"
        self.fields["with_takes"].initial = not public
        plans = Plan.objects.filter(tool=self.instance).exists() if self.instance.pk else False
        # If it was not sent, the page had plans instead, which a colleague has removed since.
        unsent = self.is_bound and self.instance.pk and self.add_prefix("entry") not in self.data
        if (plans or unsent) and "entry" in self.fields:
            self.fields["entry"].disabled = True
            self.fields["entry"].help_text = FOLLOWS
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
        """Warn about a tool without pricing."""
        return {"pricing": NO_PRICING if not self.shown("pricing").strip() else ""}

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
        return cleaned
