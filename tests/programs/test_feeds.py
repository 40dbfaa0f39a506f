"""Feeds as Atom and JSON Feed: what they list, and that readers of feeds accept them."""

import json
import re
from datetime import datetime, timedelta
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.utils import timezone

from reviews.models import Reviewer
from tests import factories as make
from tests.addresses import PAGES, sample_site
from tools.models import Tool

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
FEEDS = """
/feeds/verdicts /feeds/changes /feeds/issues
/feeds/categories/agents /feeds/reviewers/builder
""".split()


def titles(client, feed: str) -> list[str]:
    """The titles of a JSON feed's items."""
    return [item["title"] for item in json.loads(client.get(f"{feed}.json").content)["items"]]


def texts(element: ElementTree.Element, name: str) -> list[str]:
    """The texts of the children with a name."""
    return [child.text or "" for child in element.findall(f"{ATOM}{name}")]


def assert_valid_atom(document: bytes) -> ElementTree.Element:
    """Check what RFC 4287 requires of a feed and of its entries; returns the feed."""
    feed = ElementTree.fromstring(document)  # noqa: S314 - our own document
    entries = feed.findall(f"{ATOM}entry")
    assert feed.tag == f"{ATOM}feed"
    for each in [feed, *entries]:
        (key,), (title,), (updated,) = (texts(each, name) for name in ("id", "title", "updated"))
        assert title
        assert key.startswith(("http://", "https://", "tag:"))
        assert datetime.fromisoformat(updated).tzinfo
        for link in each.findall(f"{ATOM}link"):
            assert link.attrib["href"].startswith(f"{settings.SITE_URL}/")
    assert [link.get("rel") for link in feed.findall(f"{ATOM}link")] == ["alternate", "self"]
    assert texts(feed.findall(f"{ATOM}author")[0], "name") == ["Ship or Skip"]
    keys = [key for entry in entries for key in texts(entry, "id")]
    assert len(keys) == len(set(keys))
    return feed


def test_a_feed_is_valid_in_both_formats_and_says_the_same(client):
    sample_site(name='<b>Al & "pha"</b>\U0001f680 كلب')
    alpha, builder = Tool.objects.get(slug="alpha"), Reviewer.objects.get(slug="builder")
    make.take_change(on=alpha, by=builder, at=make.PUBLISHED)
    for feed in FEEDS:
        atom, data = client.get(f"{feed}.atom"), client.get(f"{feed}.json")
        assert atom["Content-Type"] == "application/atom+xml; charset=utf-8"
        assert data["Content-Type"] == "application/feed+json; charset=utf-8"
        tree = assert_valid_atom(atom.content)
        listed = json.loads(data.content)
        assert listed["version"] == "https://jsonfeed.org/version/1.1"
        assert listed["feed_url"] == f"{settings.SITE_URL}{feed}.json"
        assert listed["items"], feed
        entries = tree.findall(f"{ATOM}entry")
        for key, tag in [("id", "id"), ("title", "title"), ("content_html", "summary")]:
            assert [row[key] for row in listed["items"]] == [
                text for entry in entries for text in texts(entry, tag)
            ], feed
        assert "<b>Al" not in "".join(row["content_html"] for row in listed["items"])


def test_an_empty_feed_is_valid_and_keeps_its_bytes_and_an_unknown_one_is_not_found(client, clock):
    make.category(slug="agents")
    make.reviewer(slug="builder")
    before = {feed: client.get(f"{feed}.atom") for feed in FEEDS}
    clock(timezone.now() + timedelta(days=1))
    for feed in FEEDS:
        assert client.get(f"{feed}.atom").content == before[feed].content
        assert_valid_atom(before[feed].content)
        assert titles(client, feed) == []
    missing = """
        verdicts.rss verdicts. verdicts unknown.atom
        categories/none.atom reviewers/none.json verdicts.atom/
    """
    for path in missing.split():
        assert client.get(f"/feeds/{path}").status_code == 404, path


def test_newest_verdicts_come_first_and_drafts_never(client):
    agents = make.category(slug="agents")
    for number, name in enumerate(["Older", "Newer"]):
        tool = make.tool(name=name, in_category=agents)
        make.take(on=tool, published_at=make.PUBLISHED + timedelta(days=number))
    make.take(on=make.tool(name="Draft", published_at=None))
    make.take(on=make.tool(name="Unjudged"), published_at=None)
    make.take(on=make.tool(name="Elsewhere"))
    assert titles(client, "/feeds/verdicts") == ["Newer: Ship", "Elsewhere: Ship", "Older: Ship"]
    assert titles(client, "/feeds/categories/agents") == ["Newer: Ship", "Older: Ship"]


def test_changed_verdicts_give_their_reason_but_no_corrections(client):
    alpha, at = make.tool(name="Alpha", slug="alpha"), make.PUBLISHED
    skeptic = make.reviewer(name="Skeptic")
    make.take_change(on=alpha, by=skeptic, at=at, reason="It broke.")
    make.take_change(on=alpha, by=skeptic, at=at, correction="A slip of the pen.")
    make.take_change(on=alpha, by=skeptic, at=at, undone_at=at)
    make.take_change(on=make.tool(published_at=None), at=at)
    make.take_change(on=alpha, by=make.reviewer(published_at=None), at=at)
    (item,) = json.loads(client.get("/feeds/changes.json").content)["items"]
    assert item["title"] == "Skeptic on Alpha: ship → skip, 78 → 64"
    assert item["content_html"] == "<p>It broke.</p>"
    assert "/tools/alpha/#change-" in item["url"]


def test_pages_link_to_their_feeds(client):
    sample_site()
    pages = {
        "/": ["/feeds/verdicts", "/feeds/changes"],
        "/tools/alpha/": ["/feeds/categories/agents", "/feeds/verdicts"],
        "/categories/agents/": ["/feeds/categories/agents", "/feeds/verdicts"],
        "/reviewers/builder/": ["/feeds/reviewers/builder", "/feeds/verdicts"],
        "/newsletter/": ["/feeds/issues", "/feeds/verdicts"],
        "/corrections/": ["/feeds/corrections", "/feeds/verdicts"],
    }
    pages = {path: ["/feeds/verdicts"] for path in PAGES.values()} | pages
    for page, feeds in pages.items():
        text = client.get(page).content.decode()
        found = re.findall(
            r'rel="alternate" href="([^"]+)" type="application/(?:atom|feed)\+\w+"', text
        )
        assert found == [f"{feed}.{name}" for feed in feeds for name in ("atom", "json")]
