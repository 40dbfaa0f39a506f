"""The forms of the newsletter's pages."""

from django import forms

from shipskip.web.mail_addresses import AddressField
from shipskip.web.visitor_forms import HumanForm


class JoinPageForm(forms.Form):
    """The query of the join page: `asked` after joining, `free` after allowing an address again."""

    asked = forms.BooleanField(required=False)
    free = forms.BooleanField(required=False)


class OneClickForm(forms.Form):
    """`List-Unsubscribe=One-Click`, what a mail program sends (RFC 8058)."""

    prefix = "List"
    Unsubscribe = forms.ChoiceField(choices=[("One-Click", "One-Click")])


class JoinForm(HumanForm):
    """`address`."""

    address = AddressField(max_length=1_000, error_messages={"required": "Enter your address."})

    @property
    def typed(self) -> str:
        """The address as typed, valid or not, to show it again."""
        return str(self["address"].value() or "")[:300]
