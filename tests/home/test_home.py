"""The home page: what this is, a form, the newest verdicts, featured comparisons."""

from datetime import timedelta

import pytest
from django.utils import timezone

from comparisons.models import ON_HOME_PAGE
from reviews.models import Reviewer
from shipskip.content.content import MAX_NEWEST_VERDICTS
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_an_empty_site_has_a_home_page_with_a_form_that_leads_to_the_picker(client, snapshot):
    page = read(client.get("/"))
    assert page.visible_text == snapshot
    assert page.one("form", action="/compare/").attributes["method"] == "get"
    assert len(page.all("input", name="tools")) == 2
    assert page.by_id("pick-1").attributes["value"] == ""


def test_the_newest_verdicts_come_first_each_tool_once(client):
    now = timezone.now()
    for age in range(MAX_NEWEST_VERDICTS + 1):
        tool = make.tool(name=f"{age} minutes old")
        make.take(on=tool, published_at=now - age * MINUTE)
        make.take(on=tool, published_at=now - age * MINUTE)
    make.tool(name="Not reviewed", published_at=now)
    names = read(client.get("/")).texts("p", class_="tool-row__name")
    assert names == [f"{age} minutes old" for age in range(MAX_NEWEST_VERDICTS)]


def test_a_few_featured_comparisons_are_shown_before_the_others(client):
    make.comparison(tools=(make.tool(name="Old"), make.tool(name="Star")), featured=True)
    pair = (make.tool(name="New"), make.tool(name="Plain"))
    make.comparison(tools=pair, published_at=timezone.now())
    page = read(client.get("/"))
    assert page.texts("a", class_="pair__names") == [
        "Old No verdict yet vs Star No verdict yet",
        "New No verdict yet vs Plain No verdict yet",
    ]
    assert page.texts("p", class_="pair__answer") == ["No verdict yet on either."] * 2
    for _ in range(ON_HOME_PAGE):
        make.comparison(tools=(pair[0], make.tool()), featured=True)
    page = read(client.get("/"))
    featured = page.of_class("pairs--single")[0]
    assert len([row for row in page.of_class("pair") if featured in row.inside]) == ON_HOME_PAGE


def test_the_panel_in_its_order_and_each_category_with_its_leader_are_shown(client):
    make.reviewer(slug="second", name="Second", position=2)
    make.reviewer(slug="first", name="First", position=1, motto="Ship it.")
    make.reviewer(slug="hidden", name="Hidden", published_at=None)
    agents, models = make.category(name="Agents"), make.category(name="Models")
    make.category(name="Empty")
    for score in (70, 90):
        by = Reviewer.objects.get(slug="first")
        make.take(on=make.tool(name=f"Scored {score}", in_category=agents), by=by, score=score)
    make.tool(name="New", in_category=models)
    page = read(client.get("/"))
    links = [link for link in page.links if link.startswith("/reviewers/") and link[11:]]
    assert links == ["/reviewers/first/", "/reviewers/second/"]
    assert "Ship it." in page.text
    assert page.texts("a", class_="leader__category") == ["Agents", "Models"]
    assert page.texts("p", class_="leader__tool") == ["Scored 90 90.0", "Not judged yet"]


def test_a_comparison_of_judged_tools_is_shown_with_its_newest_reason(client):
    now = timezone.now()
    builder = make.reviewer(name="Builder")
    alpha, beta, plain = make.tool(name="Alpha"), make.tool(name="Beta"), make.tool(name="Plain")
    old, new = now - timedelta(days=9), now - timedelta(days=2)
    make.take(on=alpha, by=builder, score=90, because="Old reason.", published_at=old)
    make.take(on=beta, by=builder, score=40, verdict="skip", because="It fails.", published_at=new)
    make.comparison(tools=(alpha, plain), featured=True)
    assert not read(client.get("/")).of_class("live")
    make.comparison(tools=(alpha, beta))
    [live] = read(client.get("/")).of_class("live")
    assert "Alpha vs Beta" in live.text
    assert "Ship Alpha; skip Beta." in live.text
    assert "It fails." in live.text
    assert "Builder on Beta, " in live.text
    assert "Old reason." not in live.text
