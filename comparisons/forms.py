"""The query strings of the picker."""

from django import forms

from comparisons.picking import MAX_QUERY
from shipskip.web.filters import FilterForm, texts_field


class PickerForm(FilterForm):
    """`tools` and `page` of `/compare/`: what stands in each field."""

    tools = texts_field()


class SuggestForm(FilterForm):
    """`tools` of the suggestions under a picker's field: what has been typed so far."""

    tools = forms.CharField(required=False, max_length=MAX_QUERY)
