"""Recent changes on the desk's first page and on their own: who did what, and when."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from reviews.models import Take
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import Part, desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def publisher(clock, db):
    clock(NOW)
    return desk_of("Publishers")


def test_recent_changes_of_every_kind(publisher, clock, snapshot):
    minutes = (NOW + minute * MINUTE for minute in range(1, 10))
    User.objects.create(username="ana", first_name="Ana", last_name="Weiß")
    category = make.category(name="Essays")
    solo, twin, erased = (
        make.tool(name=name, label=label, in_category=category)
        for name, label in (("Solo", ""), ("Twin", "7B"), ("<Erased> كود", ""))
    )
    builder = make.reviewer(name="Builder")
    take, lost = make.take(on=solo, by=builder), make.take(on=erased, by=builder)
    pair = make.comparison(tools=(solo, twin))
    clock(next(minutes))
    change(solo, at=next(minutes), by="ana", tagline="Quite alone")
    change(take, at=next(minutes), by="ana", score=64)
    change(pair, at=next(minutes), summary="Two")
    for act in (Take.objects.get(pk=take.pk).remove, twin.remove):
        clock(moment := next(minutes))
        act(moment)
    clock(next(minutes))
    twin.bring_back()
    clock(next(minutes))
    Tool.everything.filter(pk=erased.pk).delete()
    Tool.history.filter(id=erased.pk).delete()
    Take.history.filter(id=lost.pk).exclude(history_type="-").delete()
    page = read(publisher.get("/admin/changed/"))
    assert page.visible_text == snapshot
    links = {e.text: e.attributes["href"] for e in page.all("a") if e.within("li")}
    for name, row in {"Solo": solo, "Builder on Solo": take, "Solo vs Twin (7B)": pair}.items():
        kind = f"{row._meta.app_label}_{row._meta.model_name}"
        assert links[name] == reverse(f"admin:{kind}_history", args=[row.pk])
        assert publisher.get(links[name]).status_code == 200


def test_the_first_page_lists_the_ten_latest_of_all_kinds_newest_first(publisher):
    assert Part(publisher, "changes").text == "Recent changes Nothing has been changed yet."
    deleted_tool = make.tool(name="<Solo>")
    deleted_tool.remove(NOW)
    part = Part(publisher, "changes")
    assert part.lines[0].endswith("Tool: <Solo>, deleted by Unknown user")
    assert publisher.get(part.links["<Solo>"]).context["may_bring_back"]
    for at in range(5):
        change(make.tool(name=f"Tool {at}"), at=NOW + (2 * at + 1) * MINUTE)
        change(make.take(on=make.tool()), at=NOW + (2 * at + 2) * MINUTE)
    lines = Part(publisher, "changes").lines
    assert len(lines) == 10
    assert [" Take: " in line for line in lines] == [True, False] * 5
    assert "Tool 4" in lines[1]


def test_all_changes_are_listed_by_pages_for_whoever_may_see_them(publisher):
    for at in range(26):
        change(make.tool(name=f"Tool {at}"), at=NOW + at * MINUTE)
    pages = [publisher.get(f"/admin/changed/?page={number}").context["page"] for number in (1, 2)]
    names = [change.subject for page in pages for change in page.rows]
    assert names[:2] == ["Tool 25", "Tool 24"]
    assert len(names) == 26 * 3  # a category each, and each tool twice
    assert [page.has_next for page in pages] == [True, False]
    assert publisher.get("/admin/changed/?page=999").status_code == 200
    assert desk_of(rights=("view_tool",)).get("/admin/changed/").status_code == 403
