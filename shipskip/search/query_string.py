"""The query string of a search."""

from django import forms

from shipskip.search.parsing import MAX_LETTERS
from shipskip.web.filters import FilterForm
from shipskip.web.text import FORBIDDEN_CHARACTERS


class Typed(forms.CharField):
    """The query text, without forbidden characters, and truncated if it is too long."""

    def to_python(self, value: object) -> str:
        """The text, on one line."""
        return " ".join(FORBIDDEN_CHARACTERS.sub(" ", str(value or "")[:MAX_LETTERS]).split())


class SearchForm(FilterForm):
    """`q` and `literal` of `/search/`: the query, and whether to search without corrections."""

    q = Typed(required=False)
    literal = forms.BooleanField(required=False)
