"""The home page: what this is, a form, the newest verdicts, featured comparisons."""

from datetime import timedelta

import pytest
from django.utils import timezone

from comparisons.models import ON_HOME_PAGE
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


def test_the_page_shows_the_panel_leaders_of_categories_and_comparisons_with_a_reason(
    client, clock, snapshot
):
    now = make.PUBLISHED + timedelta(days=9)
    clock(now)
    make.reviewer(slug="second", name="Second", position=2)
    first = make.reviewer(slug="first", name="First", position=1, motto="Ship it.")
    make.reviewer(name="Hidden", published_at=None)
    agents, models = make.category(name="Agents"), make.category(name="Models")
    make.category(name="Empty")
    alpha, beta = (make.tool(name=name, in_category=agents) for name in ("Alpha", "Beta"))
    plain = make.tool(name="Plain", in_category=models)
    make.take(on=alpha, by=first, score=90, because="Old reason.")
    moment = now - timedelta(days=2)
    words = {"verdict": "skip", "because": "It fails.", "published_at": moment}
    make.take(on=beta, by=first, score=40, **words)
    make.take(on=plain, by=first, published_at=None)
    make.comparison(tools=(alpha, plain), featured=True)
    assert not read(client.get("/")).of_class("live"), "no comparison of judged tools"
    make.comparison(tools=(beta, plain), published_at=now)
    make.comparison(tools=(alpha, beta))
    page = read(client.get("/"))
    assert page.visible_text == snapshot
    links = [link for link in page.links if link.startswith("/reviewers/") and link[11:]]
    assert links == ["/reviewers/first/", "/reviewers/second/"]
    for _ in range(ON_HOME_PAGE):
        make.comparison(tools=(plain, make.tool()), featured=True)
    page = read(client.get("/"))
    featured = page.of_class("pairs--single")[0]
    assert len([row for row in page.of_class("pair") if featured in row.inside]) == ON_HOME_PAGE
