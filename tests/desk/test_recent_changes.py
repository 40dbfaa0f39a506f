"""Recent changes on the desk's first page and on their own: who did what, and when."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from tests import factories as make
from tests.desk.editor_clients import Part, changed, desk_of
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def publisher(clock, db):
    clock(NOW)
    return desk_of("Publishers")


def test_without_a_change_the_page_says_so(publisher):
    assert Part(publisher, "changes").text == "Recent changes Nothing has been changed yet."


def test_the_last_changes_show_who_did_what_and_link_to_the_history(publisher):
    ana = User.objects.create(username="ana", first_name="Ana", last_name="Weiß")
    tool = make.tool(name="Solo", tagline="Alone")
    take = make.take(on=tool, by=make.reviewer(name="Builder"))
    pair = make.comparison(tools=(tool, make.tool(name="Duo", tagline="Both")))
    for model in (Tool, Take, Comparison, Category, Reviewer):
        model.history.update(history_date=NOW - 90 * MINUTE)
    changed(tool, NOW - 3 * MINUTE, ana, tagline="Quite alone")
    changed(take, NOW - 2 * MINUTE, ana, score=64)
    changed(pair, NOW - MINUTE, None, summary="Two")
    part = Part(publisher, "changes")
    assert part.lines[:3] == [
        "15 Jun 2026 11:59 UTC Comparison: Solo vs Duo, changed by Unknown user",
        "15 Jun 2026 11:58 UTC Take: Builder on Solo, changed by Ana Weiß",
        "15 Jun 2026 11:57 UTC Tool: Solo, changed by Ana Weiß",
    ]
    assert part.links["Solo"] == reverse("admin:tools_tool_history", args=[tool.pk])
    assert part.links["Builder on Solo"] == reverse("admin:reviews_take_history", args=[take.pk])
    assert part.links["Solo vs Duo"] == (
        reverse("admin:comparisons_comparison_history", args=[pair.pk])
    )
    for url in part.links.values():
        assert publisher.get(url).status_code == 200


def test_a_new_row_is_shown_as_created(publisher):
    make.tool(name="Solo", in_category=make.category(name="Essays"))
    assert set(Part(publisher, "changes").lines) == {
        "15 Jun 2026 12:00 UTC Tool: Solo, created by Unknown user",
        "15 Jun 2026 12:00 UTC Category: Essays, created by Unknown user",
    }


def test_the_ten_latest_of_all_kinds_are_listed_newest_first(publisher):
    for at in range(8):
        changed(make.tool(name=f"Tool {at}"), NOW + 2 * at * MINUTE)
        changed(make.take(on=make.tool()), NOW + (2 * at + 1) * MINUTE)
    lines = Part(publisher, "changes").lines
    assert len(lines) == 10
    assert [" Take: " in line for line in lines] == [True, False] * 5
    assert "Tool 7" in lines[1]


def test_a_deleted_tool_links_to_the_history_that_brings_it_back(clock, publisher):
    tool = make.tool(name="Solo", tagline="Alone")
    make.take(on=tool, by=make.reviewer(name="Builder"))
    clock(NOW + MINUTE)
    tool.remove(NOW + MINUTE)
    part = Part(publisher, "changes")
    assert part.lines[0] == "15 Jun 2026 12:01 UTC Tool: Solo, deleted by Unknown user"
    assert publisher.get(part.links["Solo"]).context["may_bring_back"]
    clock(NOW + 2 * MINUTE)
    tool.bring_back()
    part = Part(publisher, "changes")
    assert part.lines[0] == "15 Jun 2026 12:02 UTC Tool: Solo, brought back by Unknown user"
    assert {"Solo", "Builder on Solo"} <= set(part.links)


def test_a_deleted_take_is_still_shown_with_its_history(clock, publisher):
    take = make.take(on=make.tool(name="Solo", tagline="Alone"), by=make.reviewer(name="Builder"))
    clock(NOW + MINUTE)
    take.remove(NOW + MINUTE)
    part = Part(publisher, "changes")
    assert part.lines[0] == "15 Jun 2026 12:01 UTC Take: Builder on Solo, deleted by Unknown user"
    assert publisher.get(part.links["Builder on Solo"]).status_code == 200


def test_a_change_whose_tool_was_erased_is_still_shown(publisher):
    take = make.take(by=make.reviewer(name="Builder"))
    Tool.everything.all().delete()
    Tool.history.all().delete()
    Take.history.exclude(history_type="-").delete()
    lines = Part(publisher, "changes").lines
    assert "15 Jun 2026 12:00 UTC Take: Builder on a deleted tool, deleted by Unknown user" in lines
    assert not Take.objects.filter(pk=take.pk).exists()


def test_tools_with_the_same_or_unusual_names_are_distinguished(publisher):
    make.tool(name="Twin", label="7B")
    make.tool(name="<Twin> كود", tagline="")
    page = publisher.get("/admin/").content.decode()
    assert "&lt;Twin&gt; كود" in page
    assert "<Twin>" not in page
    assert "Tool: Twin (7B)," in Part(publisher, "changes").text


def test_all_changes_are_listed_by_pages_for_whoever_may_see_them(publisher):
    for at in range(26):
        changed(make.tool(name=f"Tool {at}"), NOW + at * MINUTE)
    first, second = (publisher.get(f"/admin/changed/?page={page}") for page in (1, 2))
    names = [change.subject for page in (first, second) for change in page.context["page"].rows]
    assert names[:2] == ["Tool 25", "Tool 24"]
    assert len(names) == 26 * 3  # a category each, and each tool twice
    assert first.context["page"].has_next
    assert not second.context["page"].has_next
    assert publisher.get("/admin/changed/?page=999").status_code == 200
    assert desk_of(rights=("view_tool",)).get("/admin/changed/").status_code == 403
