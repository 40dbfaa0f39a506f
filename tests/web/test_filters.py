"""Query strings through a form: good values stay, the others are named."""

from dataclasses import dataclass

import pytest
from django import forms
from django.http import QueryDict

from shipskip.web.filters import CategoryFilterForm, FilterForm, query_of
from shipskip.web.paging import LAST_PAGE


class Sample(FilterForm):
    q = forms.CharField(required=False, max_length=5)
    sort = forms.ChoiceField(label="Order", required=False, choices=[("up", "Up")])


@dataclass
class Named:
    slug: str
    name: str


NOT_HERE = "There is no order “down” here; it was left out."
TOO_LONG = "Q takes at most 5 characters; your text was left out."


@pytest.mark.parametrize(
    ("query", "page", "q", "sort", "notices"),
    [
        ("", 1, "", "", []),
        ("page=3&q=abcde&sort=up", 3, "abcde", "up", []),
        (f"page={LAST_PAGE}", LAST_PAGE, "", "", []),
        ("page=2&q=toolong&sort=up", 2, "", "up", [TOO_LONG]),
        ("q=abcdef", 1, "", "", [TOO_LONG]),
        ("sort=down&q=a", 1, "a", "", [NOT_HERE]),
        ("q=a&q=b", 1, "b", "", []),
        *((key, 1, "", "", []) for key in ("utm_source=x", "fbclid=1", "a[b]=c", "=x", "&&")),
    ],
)
def test_good_values_are_chosen_and_bad_ones_are_left_out_with_a_notice(
    query: str, page: int, q: str, sort: str, notices: list[str]
):
    form = Sample(QueryDict(query))
    chosen = form.validate()
    assert (chosen["page"], chosen["q"] or "", chosen["sort"] or "") == (page, q, sort)
    assert form.notices == notices
    parts = {"page": page > 1, "q": q, "sort": sort}
    assert QueryDict(query_of(chosen)).keys() == {key for key, value in parts.items() if value}


@pytest.mark.parametrize("page", ["0", "-1", "x", "1e3", LAST_PAGE + 1, "9" * 5000, "%00"])
def test_a_page_number_that_is_no_number_is_the_first_page(page: object):
    form = Sample(QueryDict(f"page={page}"))
    assert form.validate()["page"] == 1
    assert len(form.notices) == 1


@pytest.mark.parametrize("key", ["q[]", "Q", "q[0]", "sort.", "_sort"])
def test_a_misspelt_filter_is_named(key: str):
    form = Sample(QueryDict(f"{key}=x"))
    assert form.validate()["page"] == 1
    assert [f"“{key}” is not a filter" in notice for notice in form.notices] == [True]


def test_categories_are_those_given():
    form = CategoryFilterForm(QueryDict("category=a"), [Named("a", "A")])
    assert form.validate()["category"] == "a"
    for others in ([Named("b", "B")], []):  # not those of the form before
        form = CategoryFilterForm(QueryDict("category=a"), others)
        assert not form.validate()["category"]
        assert form.notices == ["There is no category “a” here; it was left out."]
