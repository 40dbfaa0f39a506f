"""Query strings go through a form; what makes no sense is left out, and the page says so."""

import re
from collections.abc import Sequence
from typing import Protocol

from django import forms
from django.http import QueryDict
from django.utils.text import Truncator

from shipskip.web.paging import LAST_PAGE, Chosen


def texts_field() -> forms.Field:
    """A field for a key that may stand more than once; its value is the list of the texts."""
    return forms.Field(required=False, widget=forms.MultipleHiddenInput)


class FilterForm(forms.Form):
    """A form over a query string that keeps its good values and complains of the others.

    After construction `chosen` maps every field to its value (the empty value where none or a
    bad one was given) and `complaints` lists a sentence for each value that was left out.
    """

    page = forms.IntegerField(required=False, min_value=1, max_value=LAST_PAGE)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self.complaints: list[str] = []

    def settle(self) -> Chosen:
        """Validate; return every field's value and fill `complaints`."""
        self.full_clean()
        for name in self.errors:
            if name in self.fields:
                self.complaints.append(self._complaint(name))
        self.complaints += [
            f"“{_short(key)}” is not a filter of this page; it was left out."
            for key in self.data
            if key not in self.fields and re.sub(r"[^a-z]", "", key.lower()) in self.fields
        ]
        chosen = {name: self.cleaned_data.get(name) for name in self.fields}
        chosen["page"] = chosen["page"] or 1
        return chosen

    def _complaint(self, name: str) -> str:
        given = _short(str(self.data.get(name, "")))
        if name == "page":
            return f"There is no page “{given}”; this is the first."
        field = self.fields[name]
        label = (field.label or name).lower()
        if isinstance(field, forms.ChoiceField):
            return f"There is no {label} “{given}” here; it was left out."
        return f"This {label} cannot be searched for; it was left out."


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


def _short(text: str) -> str:
    """A stranger's text, fit to be shown in a sentence."""
    printable = "".join(c if c.isprintable() else "�" for c in text[:200])
    return Truncator(printable).chars(40)
