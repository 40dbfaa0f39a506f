"""The forms of the newsletter's pages, and a form field for mail addresses."""

from collections.abc import Mapping
from datetime import datetime

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from shipskip.newsletter.subscribers import mail_addresses
from shipskip.web import form_timestamps

EXPIRED_FORM = "This form has expired. Send it again."
TOO_QUICK = "The form was sent very quickly, as robots do. Send it again."
ROBOT_FIELD_FILLED = (
    "A hidden field was filled in, as robots do. Leave it empty and send the form again."
)


class AddressField(forms.CharField):
    """A mail address; its value is a `mail_addresses.Address`."""

    def clean(self, value: object) -> mail_addresses.Address:
        """The parsed address; raises ValidationError."""
        try:
            return mail_addresses.parse(super().clean(value))
        except mail_addresses.BadAddressError as fault:
            raise ValidationError(str(fault)) from None


class PresentInput(forms.CheckboxInput):
    """True if the parameter is present with any value: `?asked`."""

    def value_from_datadict(self, data: Mapping[str, object], files: object, name: str) -> bool:
        """Whether the parameter is present."""
        return name in data


class JoinPageForm(forms.Form):
    """The query of the join page: `asked` after joining, `free` after allowing an address again."""

    asked = forms.BooleanField(required=False, widget=PresentInput)
    free = forms.BooleanField(required=False, widget=PresentInput)


class OneClickForm(forms.Form):
    """`List-Unsubscribe=One-Click`, what a mail program sends (RFC 8058)."""

    prefix = "List"
    Unsubscribe = forms.ChoiceField(choices=[("One-Click", "One-Click")])


class JoinForm(forms.Form):
    """`address`; `website`, a hidden field for robots; `stamp`, when the form was rendered."""

    address = AddressField(max_length=1_000, error_messages={"required": "Enter your address."})
    website = forms.CharField(required=False)
    stamp = forms.CharField(
        max_length=200, error_messages={"required": EXPIRED_FORM, "max_length": EXPIRED_FORM}
    )

    def __init__(self, data: QueryDict, *, now: datetime) -> None:
        super().__init__(data)
        self.now = now

    def clean_website(self) -> str:
        """Reject robots, which fill in the hidden field."""
        if self.cleaned_data["website"]:
            raise ValidationError(ROBOT_FIELD_FILLED)
        return ""

    def clean_stamp(self) -> str:
        """Reject a form sent faster than a person can, expired, or not rendered by us."""
        age = form_timestamps.age(self.cleaned_data["stamp"], self.now)
        if age is None:
            raise ValidationError(EXPIRED_FORM)
        if age < form_timestamps.QUICKEST:
            raise ValidationError(TOO_QUICK)
        return str(self.cleaned_data["stamp"])

    @property
    def typed(self) -> str:
        """The address as typed, valid or not, to show it again."""
        return str(self["address"].value() or "")[:300]

    @property
    def next_timestamp(self) -> str:
        """The timestamp for the form shown again: the submitted one if valid, else a new one."""
        submitted = str(self["stamp"].value() or "")
        valid = form_timestamps.age(submitted, self.now) is not None
        return submitted if valid else form_timestamps.timestamp(self.now)

    @property
    def error(self) -> str:
        """The first error as a sentence; empty if there is none."""
        return next((str(errors[0]) for errors in self.errors.values()), "")
