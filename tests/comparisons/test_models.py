"""A set of two to ten tools exists once, in one order, and is public with all of them."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from comparisons.models import Comparison, ComparisonTool
from tests import factories as make
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
MINUTE = timedelta(minutes=1)


def members(row: Comparison) -> list[tuple[int, int]]:
    rows = ComparisonTool.objects.filter(comparison=row)
    return [(member.position, member.tool_id) for member in rows]


def refusal(tools: list[Tool]) -> str:
    """Why the tools make no comparison; the database refuses them too."""
    with pytest.raises(IntegrityError), transaction.atomic():
        make.comparison(tools=tools)
    with pytest.raises(ValidationError) as refusal:
        Comparison(tool_list=[{"tool": tool.pk, "choose_if": ""} for tool in tools]).full_clean()
    assert set(refusal.value.message_dict) == {"tool_list"}
    return " ".join(refusal.value.messages)


def test_a_comparison_has_two_to_ten_different_tools():
    tools = [make.tool() for _ in range(11)]
    assert refusal(tools[:1]) == refusal(tools) == "A comparison has 2 to 10 tools."
    assert "once" in refusal([tools[0], tools[1], tools[0]])
    assert make.comparison(tools=tools[:10]).tools == tools[:10]


def test_a_set_of_tools_exists_once_in_whatever_order():
    row = make.comparison(tools=[make.tool() for _ in range(3)])
    assert "already" in refusal(row.tools[::-1])
    make.comparison(tools=row.tools[:2])
    make.comparison(tools=[*row.tools, make.tool()])
    assert Comparison.objects.count() == 3


def test_every_way_of_saving_writes_order_key_and_members():
    one, two, three = (make.tool() for _ in range(3))
    row = make.comparison(tools=[three, one])
    assert members(row) == [(1, three.pk), (2, one.pk)]
    assert row.tools_key == f"{one.pk}-{three.pk}"
    row.tools = [two, three, one]
    row.save(update_fields=["tool_list"])
    row = Comparison.objects.with_tools().get()
    assert row.tools == [two, three, one]
    assert members(row) == [(1, two.pk), (2, three.pk), (3, one.pk)]
    assert row.tools_key == f"{one.pk}-{two.pk}-{three.pk}"
    row.tools = [one, two]
    Comparison.objects.bulk_update([row], ["tool_list"])
    assert members(row) == [(1, one.pk), (2, two.pk)]
    listed = [{"tool": tool.pk, "choose_if": ""} for tool in (two, three)]
    (created,) = Comparison.objects.bulk_create([Comparison(tool_list=listed)])
    assert members(created) == [(1, two.pk), (2, three.pk)]
    assert Comparison.objects.of_exactly([three.pk, two.pk]).get() == created


def test_a_text_is_removed_with_its_tool_in_every_way_of_saving():
    one, two, three = (make.tool() for _ in range(3))
    row = make.comparison(tools=[one, two, three])
    row.choose_if = {one.pk: "you wait", two.pk: "you pay"}
    row.save(update_fields=["tool_list"])
    row.tools = [three, two]
    row.save(update_fields=["tool_list"])
    row = Comparison.objects.get()
    assert row.choose_if == {two.pk: "you pay"}
    row.tools = [one, three]
    Comparison.objects.bulk_update([row], ["tool_list"])
    assert Comparison.objects.get().choose_if == {}


@pytest.mark.parametrize("text", ["x" * 141, "a\nb", "\x00"])
def test_a_text_that_is_too_long_or_unreadable_is_refused(text: str):
    row = make.comparison()
    row.choose_if = {row.tool_ids[0]: text}
    with pytest.raises(ValidationError) as refusal:
        row.full_clean()
    assert set(refusal.value.message_dict) == {"tool_list"}


def test_deleting_a_tool_for_good_deletes_its_comparisons():
    tools = [make.tool() for _ in range(4)]
    make.comparison(tools=tools[:3])
    other = make.comparison(tools=tools[2:])
    tools[0].delete()
    assert list(Comparison.objects.all()) == [other]
    assert ComparisonTool.objects.count() == 2
    assert Comparison.history.filter(history_type="-").count() == 1


def test_a_comparison_is_public_from_its_publication_time_on():
    now = timezone.now()
    make.comparison(published_at=now)
    make.comparison(published_at=None)
    assert not Comparison.objects.published(now - MINUTE)
    assert Comparison.objects.published(now).count() == 1


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("what", ["tool", "category"])
def test_a_comparison_waits_for_all_its_tools_and_their_categories(place: int, what: str):
    now = timezone.now()
    tools = [make.tool() for _ in range(3)]
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
    assert list(Comparison.objects.featured_first()) == [featured, new, old]


def test_a_pair_is_named_in_its_order():
    first, second = make.tool(name="Z", slug="z"), make.tool(name="A", slug="a")
    pair = make.comparison(tools=(first, second))
    assert str(pair) == "Z vs A"
    assert pair.get_absolute_url() == "/compare/z-vs-a/"
