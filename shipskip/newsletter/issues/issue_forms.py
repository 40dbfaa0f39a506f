"""The forms of the desk of issues: its words, when it goes out, who gets a test."""

from django import forms

from shipskip.editing.fields import MomentInput
from shipskip.newsletter.models import Issue
from shipskip.newsletter.subscribers.forms import AddressField


class IssueForm(forms.ModelForm):  # type: ignore[type-arg]
    """The words of an issue; what it tells stands in the rows below."""

    class Meta:
        model = Issue
        fields = ["subject", "introduction"]
        widgets = {"subject": forms.TextInput(attrs={"class": "vLargeTextField"})}
        help_texts = {"subject": "Made by rule; about fifty characters show on a phone."}


class MomentForm(forms.Form):
    """When an issue goes out."""

    moment = forms.DateTimeField(
        widget=MomentInput,
        label="Goes out at (UTC)",
        error_messages={
            "required": "Say when it goes out.",
            "invalid": "Write the moment as 2026-05-01 09:00.",
        },
    )


class TestForm(forms.Form):
    """Where an editor gets their own mail."""

    address = AddressField(
        label="Your address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"required": "Write the address to send the test to."},
    )


def complaint(form: forms.Form) -> str:
    """What is wrong with a form, in a line."""
    return " ".join(str(said) for errors in form.errors.values() for said in errors)
