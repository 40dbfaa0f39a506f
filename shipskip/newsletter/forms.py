"""The form to join: an address, and what tells a reader from a robot."""

from datetime import datetime
from typing import Any

from django import forms

from shipskip.newsletter import addressing, stamps

NO_FORM = "This form was open for too long. Send it again as it stands now."
TOO_QUICK = "That was quick for a person. Send it once more."
FOR_ROBOTS = "The field that only robots see was filled in. Leave it empty and send again."


class JoinForm(forms.Form):
    """`address`; `website`, which nobody sees and stays empty; `stamp`, when it was given out."""

    address = forms.CharField(
        max_length=1_000, error_messages={"required": "Write the address to send it to."}
    )
    website = forms.CharField(required=False)
    stamp = forms.CharField(
        max_length=200, error_messages={"required": NO_FORM, "max_length": NO_FORM}
    )

    def __init__(self, data: Any, *, now: datetime) -> None:
        super().__init__(data)
        self.now = now

    def clean_address(self) -> addressing.Address:
        """The address, if it can be written to."""
        try:
            return addressing.read(self.cleaned_data["address"])
        except addressing.BadAddressError as fault:
            raise forms.ValidationError(str(fault)) from None

    def clean_website(self) -> str:
        """Refuse what only a robot fills in."""
        if self.cleaned_data["website"]:
            raise forms.ValidationError(FOR_ROBOTS)
        return ""

    def clean_stamp(self) -> str:
        """Refuse a form that was sent back sooner than a person can, or never given out."""
        passed = stamps.age(self.cleaned_data["stamp"], self.now)
        if passed is None:
            raise forms.ValidationError(NO_FORM)
        if passed < stamps.QUICKEST:
            raise forms.ValidationError(TOO_QUICK)
        return str(self.cleaned_data["stamp"])

    @property
    def given_stamp(self) -> str:
        """The stamp that came with it, to go out again; empty when a fresh one is needed."""
        came = str(self.data.get("stamp", ""))
        return "" if stamps.age(came, self.now) is None else came

    @property
    def complaint(self) -> str:
        """The first thing that is wrong, as a sentence; empty when nothing is."""
        return next((str(errors[0]) for errors in self.errors.values()), "")
