"""The forms of reports; each error is a sentence, and no text that was typed is lost."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import QueryDict

from shipskip.reports.models import LONGEST_SOURCE, LONGEST_TEXT
from shipskip.reports.subjects import ANYTHING, Groups
from shipskip.web.filters import FilterForm
from shipskip.web.mail_addresses import AddressField
from shipskip.web.text import has_visible_text, validate_characters, validate_line
from shipskip.web.visitor_forms import HumanForm


class TypedText(forms.CharField):
    """A text of several lines; a line break counts as one character, as in the browser."""

    def __init__(self, required: str) -> None:
        super().__init__(
            error_messages={"required": required}, validators=[validate_characters, self._in_words]
        )
        too_long = f"Write at most {LONGEST_TEXT:,} characters; this text has %(show_value)d."
        self.validators.append(MaxLengthValidator(LONGEST_TEXT, too_long))

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def _in_words(self, text: str) -> None:
        if not has_visible_text(text):
            raise ValidationError(self.error_messages["required"])


class ReportForm(HumanForm):
    """What is wrong, where it can be checked, and an address for the answer."""

    text = TypedText("Say in a few words what is wrong or missing.")
    source = forms.CharField(
        required=False,
        max_length=LONGEST_SOURCE,
        validators=[validate_line],
        error_messages={
            "max_length": f"Where it can be checked has at most {LONGEST_SOURCE} characters."
        },
    )
    address = AddressField(required=False, max_length=1_000)
    about = forms.CharField(required=False, max_length=120)

    def __init__(self, data: Mapping[str, Any] | None, names: Mapping[str, str]) -> None:
        """`names` are those of the subjects, by key; empty for a suggested tool."""
        super().__init__(data)
        self.names = names

    def clean_about(self) -> str:
        """The key of a subject; that of the tool if none is given."""
        key = str(self.cleaned_data["about"]) or (ANYTHING if self.names else "")
        if key and key not in self.names:
            raise ValidationError("Choose from the list what it is about.")
        return key


class ReplyForm(forms.Form):
    """A reporter's answer to an editor's question."""

    text = TypedText("Write your answer.")


class AboutForm(FilterForm):
    """The query of the form: which subject is chosen at first."""

    def __init__(self, data: QueryDict, groups: Groups) -> None:
        super().__init__(data)
        keys = [key for group in groups.values() for key in group]
        self.fields = {
            "about": forms.ChoiceField(
                label="Subject", required=False, choices=[("", ""), *((key, key) for key in keys)]
            )
        }


class CorrectionsForm(FilterForm):
    """The query of the list of corrections: those on one tool."""

    tool = forms.SlugField(label="Tool", required=False, max_length=100)

    def notice_of(self, name_of_field: str, given: str) -> str:
        if name_of_field == "tool":
            return f"There is no tool “{given}” here; these are the corrections on all tools."
        return super().notice_of(name_of_field, given)
