"""Forms for query strings: invalid values are left out, and the page lists them."""

import re
from collections.abc import Sequence
from typing import Protocol

from django import forms
from django.http import QueryDict
from django.utils.text import Truncator

from shipskip.web.paging import LAST_PAGE, Chosen
from shipskip.web.text import printable

MAX_UNKNOWN = 5
"""How many unknown keys the page names, and how many unknown values of one key."""


class ChoicesField(forms.MultipleChoiceField):
    """A field for a key that may be repeated: several of its choices, each once and in their order.

    Unknown values are left out; `FilterForm` names them.
    """

    def __init__(self, *, label: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__(label=label, required=False, choices=choices)
        self.options = list(choices)

    def clean(self, value: Sequence[str] | None) -> list[str]:
        """Return the choices that were given, in the order of the field's choices."""
        given = set(value or ())
        return [key for key, _ in self.options if key in given]

    def unknown(self, given: Sequence[str]) -> list[str]:
        """Return the given values that are not choices, without duplicates."""
        known = {key for key, _ in self.options} | {""}
        return [value for value in dict.fromkeys(given) if value not in known]


def texts_field() -> forms.Field:
    """A field for a key that may be repeated; its value is the list of the texts."""
    return forms.Field(required=False, widget=forms.MultipleHiddenInput)


class FilterForm(forms.Form):
    """A form for a query string that keeps valid values and reports the others.

    `validate` returns the value of every field (an empty value where none or an invalid one was
    given) and fills `notices` with a sentence for each value that was left out, or refused.
    """

    refuses = False
    """Whether the answer to a wrong value is an error; else the value is left out, as notices say.
    """
    page = forms.IntegerField(required=False, min_value=1, max_value=LAST_PAGE)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self.notices: list[str] = []

    def validate(self) -> Chosen:
        """Validate; return every field's value and fill `notices`."""
        self.full_clean()
        for name in self.errors:
            if name in self.fields:
                self.notices.append(self.notice_of(name, _short(str(self.data.get(name, "")))))
        self.notices += self._unknown_choices()
        unknown = [key for key in self.data if key not in self.fields and self.is_meant(key)]
        self.notices += [self.notice_of_key(_short(key)) for key in unknown[:MAX_UNKNOWN]]
        chosen = {name: self.cleaned_data.get(name) for name in self.fields}
        chosen["page"] = chosen.get("page") or 1
        return chosen

    def is_meant(self, key: str) -> bool:
        """Whether an unknown key was meant for this form, because it resembles one of its keys."""
        return re.sub(r"[^a-z]", "", key.lower()) in self.fields

    def _unknown_choices(self) -> list[str]:
        return [
            f"There is no {str(field.label).lower()} “{_short(value)}” here{self.left_out}."
            for name, field in self.fields.items()
            if isinstance(field, ChoicesField) and isinstance(self.data, QueryDict)
            for value in field.unknown(self.data.getlist(name))[:MAX_UNKNOWN]
        ]

    @property
    def left_out(self) -> str:
        """What a notice adds to say that a value does not count."""
        return "" if self.refuses else "; it was left out"

    def notice_of_key(self, key: str) -> str:
        """The message about an unknown key, which is shortened."""
        return f"“{key}” is not a filter of this page{self.left_out}."

    def notice_of(self, name_of_field: str, given: str) -> str:
        """The message about an invalid value of a field, which is shortened."""
        if name_of_field == "page":
            return f"There is no page “{given}”; this is the first."
        field = self.fields[name_of_field]
        label = (field.label or name_of_field).lower()
        if isinstance(field, forms.ChoiceField):
            return f"There is no {label} “{given}” here{self.left_out}."
        result = f", not “{given}”." if self.refuses else f"; “{given}” was left out."
        if isinstance(field, forms.DecimalField):
            return f"“{field.label}” takes a number such as 32000{result}"
        if isinstance(field, forms.DateField):
            return f"“{field.label}” takes a date such as 2026-11-20{result}"
        name = f"{label[:1].upper()}{label[1:]}"
        result = "." if self.refuses else "; your text was left out."
        if self.has_error(name_of_field, "max_length"):
            most = getattr(field, "max_length", 0)
            return f"{name} takes at most {most} characters{result}"
        return f"{name} cannot contain control characters{result}"


class Named(Protocol):
    """Anything with an address and a name."""

    slug: str
    name: str


class CategoryFilterForm(FilterForm):
    """A filter form with `category`, one of those given."""

    category = forms.ChoiceField(label="Category", required=False)

    def __init__(self, data: QueryDict, categories: Sequence[Named]) -> None:
        super().__init__(data)
        choices = [("", "All categories"), *((row.slug, row.name) for row in categories)]
        self.fields["category"] = forms.ChoiceField(
            label="Category", required=False, choices=choices
        )


def query_of(chosen: Chosen) -> str:
    """The chosen values as a query string without empty ones and without the first page."""
    data = QueryDict(mutable=True)
    for key, value in chosen.items():
        if isinstance(value, (list, tuple)):
            data.setlist(key, [str(each) for each in value])
        elif value not in (None, "") and not (key == "page" and value == 1):
            data[key] = str(value)
    return data.urlencode()


def _short(text: str) -> str:
    """Text from a request, shortened and printable, for use in a sentence."""
    return Truncator(printable(text[:200])).chars(40)
