"""The first page of the desk: each part with and without content, for each role."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.jobs.models import JobRun
from shipskip.newsletter.models import Issue
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import Part, desk_of, part_of
from tests.desk.forms import page_of
from tests.markup import read
from tools.models import Attribute, Category, Tool

pytestmark = pytest.mark.django_db

PATH = "/admin/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 6, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _at_noon(clock):
    clock(NOW)


def fill_the_desk():
    """Make something for each part of the page, and rows that belong to none."""
    agents = make.category(name="Agents", slug="agents")
    make.attribute(name="Size", asked_in=[agents])
    own = {"in_category": agents}
    old = make.tool(name="Old", tagline="was first", published_at=NOW - 9 * DAY, **own)
    new = make.tool(name="New", tagline="came last", published_at=NOW - DAY, **own)
    for position, slug in enumerate(("done", "half", "late")):
        reviewer = make.reviewer(name=slug.title(), slug=slug, position=position)
        if slug == "done":
            make.take(on=old, by=reviewer, published_at=NOW + 6 * 60 * MINUTE)
        if slug != "late":
            make.take(on=new, by=reviewer, published_at=None)
    make.reviewer(name="Draft", published_at=None)
    make.category(name="Draft", published_at=None)
    make.tool(name="Soon", published_at=MIDNIGHT - MINUTE, **own)
    make.comparison(tools=(old, new), published_at=MIDNIGHT)
    make.issue(about=[new], number=7, subject="Two verdicts", scheduled_at=NOW + 20 * DAY)
    make.issue(about=[new], number=6, scheduled_at=NOW - DAY, date="2026-06-01")
    make.issue(about=[new], number=5, scheduled_at=NOW + DAY, cancelled_at=NOW, date="2026-06-02")
    make.tool(name="Withdrawn", published_at=None, withdrawn_at=NOW)
    make.report(tool=new)
    deleted = make.tool(name="Deleted", published_at=NOW + MINUTE)
    make.take(on=deleted, by=reviewer, published_at=NOW + MINUTE)
    make.comparison(tools=(deleted, new), published_at=NOW + MINUTE)
    Tool.objects.filter(pk=deleted.pk).update(deleted_at=NOW)
    for model in (Attribute, Category, Comparison, Reviewer, Take, Tool):
        model.history.all().delete()
    change(new, at=NOW - 2 * DAY, by="paula", tagline="came last of all")
    change(reviewer, at=NOW - DAY, motto="Later.")
    JobRun.objects.begin("work", NOW - 3 * DAY)
    JobRun.objects.succeed("work", NOW - 2 * DAY, 1.26)
    JobRun.objects.begin("nightly", NOW - DAY)
    JobRun.objects.fail("nightly", NOW - DAY, "no room")


def test_the_first_page_shows_what_is_due_scheduled_and_changed_and_leads_there(
    publisher, snapshot, settings, tmp_path
):
    fill_the_desk()
    settings.VAR_DIR = tmp_path
    (tmp_path / "newest_release").write_text("99.1.0")
    page = read(publisher.get(PATH))
    assert page.visible_text == snapshot
    old = Tool.objects.get(name="Old")
    assert Part(page, "scheduled").links == {
        "Done on Old": page_of(old.takes.get()),
        "Soon": page_of(Tool.objects.get(name="Soon")),
        "Old vs New": page_of(Comparison.objects.get(published_at=MIDNIGHT)),
        "No. 7: Two verdicts": page_of(Issue.objects.get(number=7)),
    }
    missing = Part(page, "missing").links
    place = f"tool={old.pk}&reviewer={Reviewer.objects.get(slug='late').pk}"
    assert missing["Late on Old: write it"] == f"/admin/reviews/take/add/?{place}&missing=next"
    table = "/admin/coverage/?what=missing&state=public&sort=newest"
    assert missing["3 takes missing"] == table
    assert missing["Half: 1"] == f"{table}&reviewer=half"
    assert Part(page, "drafts").links["Takes: 2"] == "/admin/reviews/take/?state=draft"
    assert publisher.get("/admin/tools/")["Location"] == PATH, "an app has no page"


def test_the_first_page_of_a_new_site_says_that_nothing_is_due(publisher, snapshot):
    assert read(publisher.get(PATH)).visible_text == snapshot


def test_a_long_schedule_links_to_the_list_of_scheduled_rows(publisher):
    for at in range(21):
        if at == 20:
            assert "Tools: show all" not in part_of(publisher, "scheduled").links
        make.tool(name=f"Needle {at:02}", published_at=NOW + (at + 1) * MINUTE)
    part = part_of(publisher, "scheduled")
    assert "Needle 19" in part.text
    assert "Needle 20" not in part.text
    assert part.links["Tools: show all"] == "/admin/tools/tool/?state=scheduled"


def test_the_ten_newest_tools_with_a_gap_are_named_once_they_are_public(clock, publisher):
    make.take(published_at=None)
    assert "Every reviewer has a take" in part_of(publisher, "missing").text
    make.reviewer()
    Tool.objects.all().delete()
    for at in range(11):
        make.tool(name=f"Tool {at:02}", published_at=NOW - (20 - at) * DAY)
    make.tool(name="Needle", published_at=NOW + MINUTE)
    newest = [f"Tool {at:02}" for at in range(10, -1, -1)]
    for moment, total, named in (
        (NOW, "22 takes missing", newest[:10]),
        (NOW + 2 * MINUTE, "24 takes missing", ["Needle", *newest[:9]]),
    ):
        clock(moment)
        part = part_of(publisher, "missing")
        assert total in part.text
        assert [name for name in part.links if name in (*newest, "Needle")] == named


def test_editors_see_and_are_offered_what_their_rights_allow(writer, client):
    page = read(writer.get(PATH))
    assert Part(page, "jobs").text == ""
    assert "Add a tool" in page.text
    viewer = desk_of(rights=("view_tool", "view_take"))
    make.reviewer(name="Builder")
    solo = make.tool(name="Solo")
    make.comparison(published_at=None)
    make.issue(number=7, scheduled_at=NOW + DAY, about=[solo])
    assert "No. 7" in read(writer.get(PATH)).text
    page = read(viewer.get(PATH))
    for text in ("Add a tool", "write it", "Comparison", "No. 7"):
        assert text not in page.text
    assert "Builder: 3" in page.text
    assert "There are no drafts." in page.text
    for rights in ((), ("view_tool",), ("view_take",), ("view_user",)):
        response = desk_of(rights=rights).get(PATH)
        assert response.status_code == 200
        assert response.context["dashboard"] is None, "the menu only"
        assert "Recent changes" not in response.content.decode()
    assert client.get(PATH)["Location"] == "/admin/login/?next=/admin/"


# --- Recent changes ---------------------------------------------------------------------------


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
    models: list[Any] = [Comparison, Take, Reviewer, Tool, Category]
    for at, model in enumerate(models):
        model.history.update(history_date=NOW - at * MINUTE)
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
        assert links[name] == page_of(row, "history")


def test_the_first_page_lists_the_ten_latest_of_all_kinds_and_another_all_by_pages(publisher):
    assert part_of(publisher, "changes").text == "Recent changes Nothing has been changed yet."
    make.tool(name="<Solo>").remove(NOW)
    part = part_of(publisher, "changes")
    assert part.lines[0].endswith("Tool: <Solo>, deleted by Unknown user")
    assert publisher.get(part.links["<Solo>"]).context["may_bring_back"]
    for at in range(6):
        change(make.tool(name=f"Tool {at}"), at=NOW + (2 * at + 1) * MINUTE)
        change(make.take(on=make.tool()), at=NOW + (2 * at + 2) * MINUTE)
    lines = part_of(publisher, "changes").lines
    assert [" Take: " in line for line in lines] == [True, False] * 5
    assert "Tool 5" in lines[1]
    pages = [publisher.get(f"/admin/changed/?page={number}").context["page"] for number in (1, 2)]
    names = [change.subject for page in pages for change in page.rows]
    assert names[1] == "Tool 5"
    assert len(names) == 3 + 6 * 8, "a category, a reviewer, and each tool and take twice"
    assert [page.has_next for page in pages] == [True, False]
    assert publisher.get("/admin/changed/?page=999").status_code == 200
    assert desk_of(rights=("view_tool",)).get("/admin/changed/").status_code == 403
