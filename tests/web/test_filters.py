"""Query strings through a form: good values stay, the others are named."""

from dataclasses import dataclass

import pytest
from django import forms
from django.http import QueryDict

from shipskip.web.filters import CategoryFilterForm, FilterForm
from shipskip.web.paging import LAST_PAGE


class Sample(FilterForm):
    q = forms.CharField(required=False, max_length=5)
    sort = forms.ChoiceField(label="Order", required=False, choices=[("up", "Up")])


@dataclass
class Named:
    slug: str
    name: str


def choose(query: str) -> tuple[dict, list[str]]:
    """What a query string chooses, and the notices of the page."""
    form = Sample(QueryDict(query))
    return form.validate(), form.notices


def test_an_empty_query_chooses_nothing_and_page_one():
    assert choose("") == ({"page": 1, "q": "", "sort": ""}, [])


def test_good_values_are_chosen_without_a_notice():
    assert choose("page=3&q=abc&sort=up") == ({"page": 3, "q": "abc", "sort": "up"}, [])


def test_a_bad_value_is_left_out_and_the_good_ones_stay():
    chosen, notices = choose("page=2&q=toolong&sort=up")
    assert (chosen["page"], chosen["q"] or "", chosen["sort"]) == (2, "", "up")
    assert notices == ["Q takes at most 5 characters; your text was left out."]


def test_a_choice_is_named_by_its_label():
    assert choose("sort=down")[1] == ["There is no order “down” here; it was left out."]


@pytest.mark.parametrize("page", ["0", "-1", "x", "1e3", str(LAST_PAGE + 1), "9" * 5000, "\x00"])
def test_a_page_number_that_is_not_a_number_is_the_first_page(page: str):
    data = QueryDict(mutable=True)
    data["page"] = page
    form = Sample(data)
    assert form.validate()["page"] == 1
    assert len(form.notices) == 1


def test_the_last_page_is_a_page():
    assert choose(f"page={LAST_PAGE}") == ({"page": LAST_PAGE, "q": "", "sort": ""}, [])


@pytest.mark.parametrize("key", ["q[]", "Q", "q[0]", "sort.", "_sort"])
def test_a_filter_misspelt_by_signs_or_case_is_named(key: str):
    data = QueryDict(mutable=True)
    data[key] = "x"
    form = Sample(data)
    form.validate()
    assert form.notices == [f"“{key}” is not a filter of this page; it was left out."]


@pytest.mark.parametrize("query", ["utm_source=x", "fbclid=1", "a[b]=c", "=x", "&&"])
def test_unknown_keys_are_ignored(query: str):
    assert choose(query)[1] == []


def test_if_a_value_is_given_twice_the_last_one_counts():
    assert choose("q=a&q=b")[0]["q"] == "b"


def test_categories_are_those_given():
    form = CategoryFilterForm(QueryDict("category=a"), [Named("a", "A")])
    assert form.validate()["category"] == "a"
    form = CategoryFilterForm(QueryDict("category=a"), [Named("b", "B")])
    assert not form.validate()["category"]
    assert form.notices == ["There is no category “a” here; it was left out."]


def test_categories_of_one_form_are_not_shared_with_another():
    CategoryFilterForm(QueryDict(), [Named("a", "A")])
    form = CategoryFilterForm(QueryDict("category=a"), [])
    form.validate()
    assert len(form.notices) == 1
