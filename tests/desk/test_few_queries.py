"""The desk's screens run as many queries for many rows as for few."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from reviews.models import Reviewer
from shipskip.search.indexing import index_all
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import queries_of
from tests.desk.forms import page_of
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
COVERAGE = "/admin/coverage/"


def create_rows(number):
    """Create this number of rows for each part of each screen."""
    agents, panel = Category.objects.get(slug="agents"), Reviewer.objects.order_by("pk")[:2]
    first = Tool.objects.get(slug="first")
    for at in range(number):
        soon = NOW + (at % 20 + 1) * MINUTE
        tool, other = (make.tool(name="many", in_category=agents) for _ in range(2))
        change(tool, at=NOW, tagline="Changed")
        make.take(on=tool, by=panel[0], published_at=NOW - 181 * DAY)
        make.take(on=tool, by=panel[1], published_at=None)
        make.take(on=other, by=panel[0], published_at=soon)
        make.fact(Decimal(1), on=first, to=make.attribute(name="many", asked_in=[agents]))
        change(make.take(on=first), at=NOW, score=at)
        make.comparison(tools=(tool, other), published_at=soon + at % 2 * DAY)
        make.comparison(published_at=None)
        make.tool(published_at=None)
        change(first, at=NOW, category=make.category(name="many"))
        change(first, at=NOW, category=agents)
        make.tool(published_at=soon + DAY)
        for row in (make.tool(name="many gone"), make.take(), make.comparison()):
            row.remove(NOW)
    index_all()


def test_each_screen_runs_as_many_queries_for_five_rows_as_for_two(publisher, clock):
    clock(NOW)
    agents = make.category(slug="agents")
    tool = make.tool(slug="first", in_category=agents)
    for slug in ("builder", "skeptic"):
        make.reviewer(slug=slug)
    most = {
        "/admin/": 38,
        page_of(tool): 22,
        page_of(tool, "history"): 18,
        "/admin/tools/tool/": 12,
        "/admin/search/?q=many": 40,
        "/admin/facts/agents/": 12,
        "/admin/tools/tool/deleted/": 12,
        "/admin/reviews/take/deleted/": 12,
        "/admin/comparisons/comparison/deleted/": 12,
    }
    for query in ("", "?what=missing&state=public&sort=newest&reviewer=builder", "?what=old"):
        most[COVERAGE + query] = 27
    create_rows(2)
    few = {url: queries_of(publisher, url) for url in most}
    create_rows(3)
    many = {url: queries_of(publisher, url) for url in most}
    assert [url for url in most if not many[url] <= few[url] <= most[url]] == []
