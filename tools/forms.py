"""The filters of the tools list."""

from django import forms

from shipskip.web.filters import CategoryFilterForm
from tools.models import EntryPrice


class ToolFilterForm(CategoryFilterForm):
    """`q`, `category`, `entry`, `verdict`, `sort` and `page` of `/tools/`."""

    q = forms.CharField(label="Search", required=False, max_length=100)
    entry = forms.ChoiceField(
        label="Entry price", required=False, choices=[("", "Any entry price"), *EntryPrice.choices]
    )
    verdict = forms.ChoiceField(
        label="Verdict",
        required=False,
        choices=[
            ("", "Any verdict"),
            ("ship", "Ship"),
            ("skip", "Skip"),
            ("split", "Split"),
            ("none", "Not reviewed yet"),
        ],
    )
    sort = forms.ChoiceField(
        label="Sort",
        required=False,
        choices=[("score", "Best panel score"), ("name", "Name"), ("newest", "Newest first")],
    )

    field_order = ["q", "category", "entry", "verdict", "sort"]
