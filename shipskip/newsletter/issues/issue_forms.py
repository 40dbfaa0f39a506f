"""The admin forms of issues: texts, entries, schedule, test mail."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminIntegerFieldWidget
from django.http import HttpRequest
from django.utils import timezone

from shipskip.editing.draft_recovery import NOT_SAVED
from shipskip.editing.fields import MarkdownField, MarkdownInput
from shipskip.editing.moments import MomentField, MomentInput, moment_in_words
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry
from shipskip.web.mail_addresses import AddressField


class IssueForm(forms.ModelForm):  # type: ignore[type-arg]
    """The texts of an issue; its entries are the rows below."""

    recovered = False
    """Whether this form was recovered, and is shown before it is saved."""

    class Meta:
        model = Issue
        fields = ["subject", "introduction"]
        widgets = {"subject": forms.TextInput(attrs={"class": "vLargeTextField"})}
        help_texts = {
            "subject": "A suggestion, which you can change; a phone shows about 50 characters.",
            "introduction": "Shown above the entries of this issue only.",
        }

    def clean(self) -> dict[str, Any]:
        """Refuse a recovered form once, so that the editor checks it."""
        if self.recovered:
            raise forms.ValidationError(NOT_SAVED)
        return super().clean() or self.cleaned_data


class EntryForm(forms.ModelForm):  # type: ignore[type-arg]
    """The place of an entry in the mail, and whether it is left out."""

    class Meta:
        model = IssueEntry
        fields = ["position", "dropped"]
        labels = {"position": "Place", "dropped": "Leave out"}
        error_messages = {"position": {"required": "Enter the place."}}
        widgets = {  # inputs in a table row have no label element
            "position": AdminIntegerFieldWidget(attrs={"aria-label": "Place"}),
            "dropped": forms.CheckboxInput(attrs={"aria-label": "Leave out"}),
        }


class OwnEntryForm(forms.ModelForm):  # type: ignore[type-arg]
    """An entry of the editor's own: a heading and a text at its place."""

    class Meta:
        model = IssueEntry
        fields = ["position", "heading", "text"]
        labels = {"position": "Place", "heading": "Heading", "text": "Text"}
        widgets = {
            "position": AdminIntegerFieldWidget(),
            "heading": forms.TextInput(attrs={"class": "vLargeTextField"}),
            "text": MarkdownInput(attrs={"rows": 5}),
        }

    def clean(self) -> dict[str, Any]:
        """Require a heading and a text."""
        cleaned = super().clean() or self.cleaned_data
        for name in ("heading", "text"):
            if not cleaned.get(name) and name not in self.errors:
                self.add_error(name, f"Enter the {name}.")
        self.instance.kind = EntryKind.OWN_TEXT
        return cleaned


class CorrectionForm(forms.ModelForm):  # type: ignore[type-arg]
    """The note on the archive page of an issue."""

    send = forms.BooleanField(required=False)  # the button that also writes a mail

    class Meta:
        model = Issue
        fields = ["correction"]
        field_classes = {"correction": MarkdownField}
        widgets = {"correction": MarkdownInput(attrs={"rows": 6})}


class MomentForm(forms.Form):
    """When an issue is sent."""

    moment = MomentField(
        widget=MomentInput(attrs={"form": "issue_form"}),
        label="Send at",
        error_messages={"required": "Enter the date and time to send it at."},
    )

    def clean_moment(self) -> datetime:
        """A moment in the future, because an issue for a past one would be sent at once."""
        chosen: datetime = self.cleaned_data["moment"]
        if chosen <= timezone.now():
            text = f"{moment_in_words(chosen)} has passed: enter a later time."
            raise forms.ValidationError(text)
        return chosen


class TestMailForm(forms.Form):
    """The address for a test mail."""

    address = AddressField(
        label="Your address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "form": "issue_form"}),
        error_messages={"required": "Enter the address for the test mail."},
    )


class ActionForm(forms.Form):
    """The button that was pressed, if it does more than save."""

    act = forms.ChoiceField(choices=[(name, name) for name in ("test", "schedule", "unschedule")])


def pressed_button(request: HttpRequest) -> str:
    """The value of the button that was pressed; empty for one that only saves."""
    form = ActionForm(request.POST)
    return form.cleaned_data["act"] if form.is_valid() else ""


def error_text(form: forms.Form) -> str:
    """The errors of a form in one line."""
    return " ".join(str(error) for errors in form.errors.values() for error in errors)
