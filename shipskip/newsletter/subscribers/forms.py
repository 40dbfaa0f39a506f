"""The forms of the newsletter's pages, and a form field for mail addresses."""

from django import forms
from django.core.exceptions import ValidationError

from shipskip.newsletter import mail_addresses

ROBOT_FIELD_FILLED = (
    "A hidden field was filled in, as robots do. Leave it empty and send the form again."
)


class AddressField(forms.CharField):
    """A mail address; its value is a `mail_addresses.MailAddress`."""

    def clean(self, value: object) -> mail_addresses.MailAddress:
        """The parsed address; raises ValidationError."""
        return mail_addresses.parse(super().clean(value))


class JoinPageForm(forms.Form):
    """The query of the join page: `asked` after joining, `free` after allowing an address again."""

    asked = forms.BooleanField(required=False)
    free = forms.BooleanField(required=False)


class OneClickForm(forms.Form):
    """`List-Unsubscribe=One-Click`, what a mail program sends (RFC 8058)."""

    prefix = "List"
    Unsubscribe = forms.ChoiceField(choices=[("One-Click", "One-Click")])


class JoinForm(forms.Form):
    """`address`, and `website`, a hidden field for robots."""

    address = AddressField(max_length=1_000, error_messages={"required": "Enter your address."})
    website = forms.CharField(required=False)

    def clean_website(self) -> str:
        """Reject robots, which fill in the hidden field."""
        if self.cleaned_data["website"]:
            raise ValidationError(ROBOT_FIELD_FILLED)
        return ""

    @property
    def typed(self) -> str:
        """The address as typed, valid or not, to show it again."""
        return str(self["address"].value() or "")[:300]

    @property
    def error(self) -> str:
        """The first error as a sentence; empty if there is none."""
        return next((str(errors[0]) for errors in self.errors.values()), "")
