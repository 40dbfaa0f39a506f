"""Pages for programs: robots.txt and sitemaps."""

import re
from datetime import timedelta
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from comparisons.models import DayReads, ReadPair, RecentReads, tools_key
from comparisons.models.reads import MIN_READS_TO_LIST
from shipskip.home import sitemaps
from shipskip.newsletter.models import Issue
from shipskip.page_cache.content_version import stored_number
from shipskip.web.desk_path import DESK_PATH
from tests import factories as make

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def locations(client, path: str) -> list[str]:
    """The paths a sitemap lists, in order."""
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/xml"
    tree = ElementTree.fromstring(response.content)  # noqa: S314 - our own document
    found = [node.text or "" for node in tree.iter() if node.tag.endswith("}loc")]
    assert all(url.startswith(f"{settings.SITE_URL}/") for url in found)
    return [url.removeprefix(settings.SITE_URL) for url in found]


def test_robots_may_read_everything_that_is_public(client):
    response = client.get("/robots.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    text = response.content.decode()
    assert text.startswith("User-agent: *\n")
    assert f"Sitemap: {settings.SITE_URL}/sitemap.xml" in text.splitlines()
    assert DESK_PATH not in text
    assert "Disallow: /\n" not in text


def test_every_public_page_is_in_a_sitemap_of_the_index_from_its_moment_on(client, clock):
    now = timezone.now()
    tool = make.tool(slug="a", in_category=make.category(slug="agents"))
    make.take(on=tool, by=make.reviewer(slug="builder"))
    other = make.tool(slug="z", in_category=tool.category)
    make.take(on=other, by=tool.takes.get().reviewer)
    make.comparison(tools=(other, tool))
    make.tool(slug="soon", in_category=tool.category, published_at=now)
    make.tool(slug="draft", in_category=tool.category, published_at=None)
    clock(now - MINUTE)
    found = {path: locations(client, path) for path in locations(client, "/sitemap.xml")}
    for path in found.pop("/sitemap-pages.xml"):
        assert client.get(path).status_code == 200
    assert found == {
        "/sitemap-tools.xml": ["/tools/a/", "/tools/z/"],
        "/sitemap-comparisons.xml": ["/compare/z-vs-a/"],
        "/sitemap-categories.xml": ["/categories/agents/"],
        "/sitemap-reviewers.xml": ["/reviewers/builder/"],
    }
    clock(now + MINUTE)
    assert "/tools/soon/" in locations(client, "/sitemap-tools.xml")


def test_a_long_sitemap_has_pages_and_resolves_no_path_for_each_of_its_rows(client, monkeypatch):
    """15,000 resolved paths took half a second of a core; the budget of a page is 50 ms."""
    for slug in ("a", "b", "c"):
        make.tool(slug=slug)
    resolve = Mock(wraps=reverse)
    monkeypatch.setattr(sitemaps, "reverse", resolve)
    assert len(locations(client, "/sitemap-tools.xml")) == 3
    assert resolve.call_count == 1
    monkeypatch.setattr(sitemaps, "MAX_ADDRESSES", 2)
    assert "/sitemap-tools.xml?p=2" in locations(client, "/sitemap.xml")
    assert locations(client, "/sitemap-tools.xml?p=2") == ["/tools/c/"]
    for page in ("0", "3", "x", "%D9%A1", "01", "1&p=3"):
        assert client.get(f"/sitemap-tools.xml?p={page}").status_code == 404, page
    for name in ("unknown", ""):
        assert client.get(f"/sitemap-{name}.xml").status_code == 404, name


def days(client, path: str) -> dict[str, str]:
    """The day of the last change of each path that a sitemap lists with one."""
    text = client.get(path).content.decode()
    found = re.findall(rf"<loc>{settings.SITE_URL}([^<]*)</loc><lastmod>([^<]*)", text)
    return dict(found)


def test_the_day_of_a_page_is_that_of_its_last_change(client):
    agents = make.category(slug="agents")
    alpha = make.tool(slug="alpha", in_category=agents)
    beta = make.tool(slug="beta", in_category=agents, published_at=make.PUBLISHED + timedelta(1))
    take = make.take(on=alpha, by=make.reviewer(slug="builder"))
    make.take(on=beta)
    make.comparison(tools=(alpha, beta))
    make.take_change(on=alpha, by=take.reviewer, at=make.PUBLISHED + timedelta(9))
    assert days(client, "/sitemap-tools.xml") == {
        "/tools/alpha/": "2026-05-10",
        "/tools/beta/": "2026-05-02",
    }
    assert days(client, "/sitemap-comparisons.xml") == {"/compare/alpha-vs-beta/": "2026-05-10"}
    assert days(client, "/sitemap-categories.xml")["/categories/agents/"] == "2026-05-10"
    assert days(client, "/sitemap-reviewers.xml")["/reviewers/builder/"] == "2026-05-01"
    issue = make.sent_issue()
    assert days(client, "/sitemap-issues.xml") == {issue.get_absolute_url(): "2026-05-07"}
    Issue.objects.update(corrected_at=make.PUBLISHED + timedelta(9))
    assert days(client, "/sitemap-issues.xml") == {issue.get_absolute_url(): "2026-05-10"}


@pytest.mark.both_databases
def test_a_pair_is_listed_from_the_night_after_readers_read_it(client):
    alpha, beta, gamma = (make.tool(slug=slug) for slug in ("alpha", "beta", "gamma"))
    for tool in (alpha, beta):
        make.take(on=tool)
    pair, path = tools_key([alpha.pk, beta.pk]), "/compare/alpha-vs-beta/"
    today = timezone.now().date()
    reads = {pair: MIN_READS_TO_LIST, tools_key([alpha.pk, gamma.pk]): MIN_READS_TO_LIST}
    DayReads.objects.add({(today, key): number for key, number in reads.items()})
    assert locations(client, "/sitemap-comparisons.xml") == []
    assert b"noindex" in client.get(path).content
    ReadPair.objects.decide()
    assert locations(client, "/sitemap-comparisons.xml") == [path]
    assert b"noindex" not in client.get(path).content
    number = stored_number()
    ReadPair.objects.decide()
    assert stored_number() == number  # nothing is written, so no page is rendered again
    RecentReads.objects.all().delete()
    ReadPair.objects.decide()
    assert locations(client, "/sitemap-comparisons.xml") == []
