"""The admin forms of issues: texts, schedule, test mail."""

from django import forms

from shipskip.editing.fields import MomentInput
from shipskip.newsletter.models import Issue
from shipskip.newsletter.subscribers.forms import AddressField


class IssueForm(forms.ModelForm):  # type: ignore[type-arg]
    """The texts of an issue; its entries are the rows below."""

    class Meta:
        model = Issue
        fields = ["subject", "introduction"]
        widgets = {"subject": forms.TextInput(attrs={"class": "vLargeTextField"})}
        help_texts = {"subject": "Written by rule; a phone shows about 50 characters."}


class MomentForm(forms.Form):
    """When an issue is sent."""

    moment = forms.DateTimeField(
        widget=MomentInput,
        label="Send at (UTC)",
        error_messages={
            "required": "Enter when to send it.",
            "invalid": "Enter date and time as 2026-05-01 09:00.",
        },
    )


class TestMailForm(forms.Form):
    """The address for a test mail."""

    address = AddressField(
        label="Your address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"required": "Enter the address for the test mail."},
    )


def error_text(form: forms.Form) -> str:
    """The errors of a form in one line."""
    return " ".join(str(error) for errors in form.errors.values() for error in errors)
