"""What readers send to the newsletter's pages, and an address as a form field."""

from collections.abc import Mapping
from datetime import datetime

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from shipskip.newsletter.subscribers import mail_addresses
from shipskip.web import form_timestamps

NO_FORM = "This form was open for too long. Send it again as it stands now."
TOO_QUICK = "That was quick for a person. Send it once more."
FOR_ROBOTS = "The field that only robots see was filled in. Leave it empty and send again."


class AddressField(forms.CharField):
    """An address that can be written to; its value is an `mail_addresses.Address`."""

    def clean(self, value: object) -> mail_addresses.Address:
        """The address; raises ValidationError with what is wrong with it."""
        try:
            return mail_addresses.read(super().clean(value))
        except mail_addresses.BadAddressError as fault:
            raise ValidationError(str(fault)) from None


class Presence(forms.CheckboxInput):
    """True for a parameter that is there, whatever it says: `?asked`."""

    def value_from_datadict(self, data: Mapping[str, object], files: object, name: str) -> bool:
        """Whether it is there."""
        return name in data


class JoinPageForm(forms.Form):
    """What the page to join says: that a mail is on its way, or that an address is free again."""

    asked = forms.BooleanField(required=False, widget=Presence)
    free = forms.BooleanField(required=False, widget=Presence)


class OneClickForm(forms.Form):
    """`List-Unsubscribe=One-Click`, what a mail program sends (RFC 8058)."""

    prefix = "List"
    Unsubscribe = forms.ChoiceField(choices=[("One-Click", "One-Click")])


class JoinForm(forms.Form):
    """`address`; `website`, which nobody sees and stays empty; `stamp`, when it was given out."""

    address = AddressField(
        max_length=1_000, error_messages={"required": "Write the address to send it to."}
    )
    website = forms.CharField(required=False)
    stamp = forms.CharField(
        max_length=200, error_messages={"required": NO_FORM, "max_length": NO_FORM}
    )

    def __init__(self, data: QueryDict, *, now: datetime) -> None:
        super().__init__(data)
        self.now = now

    def clean_website(self) -> str:
        """Refuse what only a robot fills in."""
        if self.cleaned_data["website"]:
            raise ValidationError(FOR_ROBOTS)
        return ""

    def clean_stamp(self) -> str:
        """Refuse a form that was sent back sooner than a person can, or never given out."""
        passed = form_timestamps.age(self.cleaned_data["stamp"], self.now)
        if passed is None:
            raise ValidationError(NO_FORM)
        if passed < form_timestamps.QUICKEST:
            raise ValidationError(TOO_QUICK)
        return str(self.cleaned_data["stamp"])

    @property
    def typed(self) -> str:
        """The address as it was typed, good or not, to be shown again."""
        return str(self["address"].value() or "")[:300]

    @property
    def next_stamp(self) -> str:
        """The stamp for the form that is shown again: the one that came, or a fresh one for it."""
        came = str(self["stamp"].value() or "")
        good = form_timestamps.age(came, self.now) is not None
        return came if good else form_timestamps.timestamp(self.now)

    @property
    def complaint(self) -> str:
        """The first thing that is wrong, as a sentence; empty when nothing is."""
        return next((str(errors[0]) for errors in self.errors.values()), "")
