"""A pair exists once, has two different tools, and is public with both of them."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from comparisons.models import Comparison
from tests import factories as make

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_a_tool_is_not_compared_with_itself():
    tool = make.tool()
    with pytest.raises(IntegrityError), transaction.atomic():
        make.comparison(tools=(tool, tool))
    with pytest.raises(ValidationError, match="this is the first tool already") as refusal:
        Comparison(first=tool, second=tool).full_clean()
    assert "second" in refusal.value.message_dict


def test_a_pair_exists_once():
    pair = make.comparison()
    with pytest.raises(IntegrityError), transaction.atomic():
        make.comparison(tools=pair.tools)


def test_a_pair_exists_once_in_the_other_order_too():
    pair = make.comparison()
    with pytest.raises(IntegrityError), transaction.atomic():
        make.comparison(tools=pair.tools[::-1])
    with pytest.raises(ValidationError, match="already"):
        Comparison(first=pair.second, second=pair.first).full_clean()


def test_a_tool_may_stand_in_many_pairs():
    pair = make.comparison()
    make.comparison(tools=(pair.second, make.tool()))
    make.comparison(tools=(make.tool(), pair.first))
    assert Comparison.objects.count() == 3


def test_a_deleted_tool_takes_its_pairs_with_it():
    pair = make.comparison()
    pair.second.delete()
    assert not Comparison.objects.exists()


def test_a_pair_is_public_from_its_moment_on():
    now = timezone.now()
    make.comparison(published_at=now)
    make.comparison(published_at=None)
    assert not Comparison.objects.published(now - MINUTE)
    assert Comparison.objects.published(now).count() == 1


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("what", ["tool", "category"])
def test_a_pair_waits_for_both_tools_and_their_categories(place: int, what: str):
    now = timezone.now()
    tools = [make.tool(), make.tool()]
    row = tools[place] if what == "tool" else tools[place].category
    row.published_at = now + MINUTE
    row.save()
    make.comparison(tools=tools)
    assert not Comparison.objects.published(now)
    assert Comparison.objects.published(now + MINUTE).count() == 1


def test_featured_pairs_come_first_then_the_newest():
    now = timezone.now()
    old = make.comparison()
    new = make.comparison(published_at=now)
    featured = make.comparison(featured=True)
    assert list(Comparison.objects.for_list_page(now)) == [featured, new, old]


def test_the_tools_own_pair_is_first_and_unrelated_pairs_are_left_out():
    now = timezone.now()
    own = make.comparison()
    near = make.comparison(tools=(own.first, make.tool()), featured=True)
    make.comparison(featured=True)
    assert list(Comparison.objects.related_to(own.tools, now)) == [own, near]


def test_a_pair_is_named_in_its_order():
    first, second = make.tool(name="Z", slug="z"), make.tool(name="A", slug="a")
    pair = make.comparison(tools=(first, second))
    assert str(pair) == "Z (z) vs A (a)"
    assert pair.get_absolute_url() == "/compare/z-vs-a/"


def test_editors_pairs_come_first_among_those_to_compare_with():
    now = timezone.now()
    home = make.category()
    tool = make.tool(slug="tool", in_category=home)
    make.tool(slug="older", in_category=home)
    make.tool(slug="newer", in_category=home, published_at=now - MINUTE)
    make.tool(slug="stranger")
    make.tool(slug="draft", in_category=home, published_at=None)
    make.comparison(tools=(make.tool(slug="partner"), tool))
    make.comparison(tools=(tool, make.tool(slug="hidden")), published_at=now + MINUTE)
    found = Comparison.objects.to_compare_with(tool, now)
    assert [row.slug for row in found] == ["partner", "newer", "older"]
