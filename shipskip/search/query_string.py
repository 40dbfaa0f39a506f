"""The query string of a search."""

from django import forms

from shipskip.search.parsing import MAX_LETTERS
from shipskip.web.filters import FilterForm
from shipskip.web.text import FORBIDDEN_CHARACTERS


class Typed(forms.CharField):
    """What was typed, without characters that no text has, and cut off where it is too long."""

    def to_python(self, value: object) -> str:
        """The text, on one line."""
        return " ".join(FORBIDDEN_CHARACTERS.sub(" ", str(value or "")[:MAX_LETTERS]).split())


class SearchForm(FilterForm):
    """`q` and `literal` of `/search/`: what was typed, and whether to search exactly that."""

    q = Typed(required=False)
    literal = forms.BooleanField(required=False)
