"""A set of two to ten tools exists once, in one order, and is public with all of them."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from comparisons.models import Comparison, ComparisonTool
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
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


@pytest.mark.both_databases
def test_a_comparison_has_two_to_ten_different_tools_and_a_set_exists_once():
    tools = [make.tool() for _ in range(11)]
    assert refusal(tools[:1]) == refusal(tools) == "A comparison has 2 to 10 tools."
    assert "once" in refusal([tools[0], tools[1], tools[0]])
    assert make.comparison(tools=tools[:10]).tools == tools[:10]
    make.comparison(tools=tools[:3])
    assert "already" in refusal(tools[2::-1])
    make.comparison(tools=tools[:2])
    make.comparison(tools=tools[:4])
    assert Comparison.objects.count() == 4


@pytest.mark.both_databases
def test_every_way_of_saving_writes_order_key_and_members_and_removes_texts_of_other_tools():
    one, two, three = (make.tool() for _ in range(3))
    row = make.comparison(tools=[three, one])
    assert members(row) == [(1, three.pk), (2, one.pk)]
    assert row.tools_key == f"{one.pk}-{three.pk}"
    row.choose_if = {one.pk: "you wait", three.pk: "you pay"}
    row.tools = [two, three]
    row.save(update_fields=["tool_list"])
    row = Comparison.objects.with_tools().get()
    assert (row.tools, row.choose_if) == ([two, three], {three.pk: "you pay"})
    assert members(row) == [(1, two.pk), (2, three.pk)]
    assert row.tools_key == f"{two.pk}-{three.pk}"
    row.tools = [one, two]
    Comparison.objects.bulk_update([row], ["tool_list"])
    row.summary = "Changed."
    Comparison.objects.bulk_update([row], ["summary"])
    row = Comparison.objects.get()
    assert (row.summary, row.choose_if) == ("Changed.", {})
    assert members(row) == [(1, one.pk), (2, two.pk)]
    listed = [{"tool": tool.pk, "choose_if": ""} for tool in (two, three)]
    (created,) = Comparison.objects.bulk_create([Comparison(tool_list=listed)])
    assert members(created) == [(1, two.pk), (2, three.pk)]
    assert Comparison.objects.of_exactly([three.pk, two.pk]).get() == created


def test_a_text_that_is_too_long_or_unreadable_is_refused():
    row = make.comparison()
    row.choose_if = {row.tool_ids[0]: "x" * 140}
    row.full_clean()
    for text in ("x" * 141, "a\nb", "\x00"):
        row.choose_if = {row.tool_ids[0]: text}
        with pytest.raises(ValidationError) as refusal:
            row.full_clean()
        assert set(refusal.value.message_dict) == {"tool_list"}, text


def test_deleting_a_tool_for_good_deletes_its_comparisons():
    tools = [make.tool() for _ in range(4)]
    make.comparison(tools=tools[:3])
    other = make.comparison(tools=tools[2:])
    tools[0].delete()
    assert list(Comparison.objects.all()) == [other]
    assert ComparisonTool.objects.count() == 2
    assert Comparison.history.filter(history_type="-").count() == 1


def test_a_comparison_is_public_with_all_its_tools_and_their_categories():
    now = timezone.now()
    tools = [make.tool() for _ in range(3)]
    comparison = make.comparison(tools=tools, published_at=now)
    make.comparison(published_at=None)
    for row in (comparison, tools[0], tools[2], tools[0].category, tools[2].category):
        before = row.published_at
        row.published_at = now + MINUTE
        row.save()
        assert not Comparison.objects.published(now), row
        assert Comparison.objects.published(now + MINUTE).get() == comparison, row
        row.published_at = before
        row.save()
    assert Comparison.objects.published(now).get() == comparison
    assert not Comparison.objects.published(now - MINUTE)


def test_featured_pairs_come_first_then_the_newest():
    old = make.comparison()
    new = make.comparison(published_at=timezone.now())
    featured = make.comparison(featured=True)
    assert list(Comparison.objects.featured_first()) == [featured, new, old]
