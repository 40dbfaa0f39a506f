"""A tool's preview, shown by a signed link."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Take
from shipskip.web import preview_tokens
from tests import factories as make
from tests.markup import read
from tests.tools.preview_links import assert_has_ended, link
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def preview_page(client, tool, **options):
    """The previewed page."""
    response = client.get(link(tool, **options))
    assert response.status_code == 200
    return read(response)


def test_it_is_the_page_that_readers_get_once_all_of_it_is_public(client):
    now = timezone.now()
    group = make.category(name="Agents", published_at=None)
    tool = make.tool(slug="alpha", published_at=None, in_category=group, description="*Why*")
    make.tool(in_category=make.category())
    make.take(on=tool, score=84, published_at=None)
    make.take(on=tool, score=40, verdict="skip", published_at=now + MINUTE)
    make.take(on=tool, score=61, by=make.reviewer(position=1, published_at=None))
    before = client.get(link(tool)).content.decode()
    for rows in (Category, Tool, Take):
        rows.objects.update(published_at=make.PUBLISHED)
    type(tool.takes.get(score=61).reviewer).objects.update(published_at=make.PUBLISHED)
    after = client.get("/tools/alpha/").content.decode()

    def article(html):
        """The tool's page without the forms and codes, which work only on the public page, and
        without the dates of takes, because a draft has none.
        """
        rest = re.sub(
            r'<section id="(community|bookmarks)".*?</section>'
            r'|<details class="embed-codes".*?</details>'
            r'|\s·\s<span class="judged__word">.*?</time>'
            r'|<p class="take__byline">.*?</p>|\s<a [^>]*href="[?]weigh=own".*?</a>',
            "",
            html[html.index("<main") : html.index("</main>")],
            flags=re.S,
        )
        return "".join(rest.split())

    assert article(before) == article(after)
    assert "84</b>/100" in article(before)
    assert "61</b>/100" in article(before)


def test_withdrawn_takes_are_not_shown_on_it(client):
    tool = make.tool(published_at=None)
    deleted_take, of_withdrawn = (
        make.take(on=tool, body="Taken back"),
        make.take(on=tool, body="Unseated"),
    )
    deleted_take.withdraw(timezone.now())
    of_withdrawn.reviewer.withdraw(timezone.now())
    page = preview_page(client, tool)
    assert page.of_class("take") == []
    assert "Taken back" not in page.text


def test_a_banner_at_the_top_shows_the_state_and_when_the_link_expires(client, clock, snapshot):
    now = make.PUBLISHED + timedelta(days=1)
    clock(now)
    withdrawn = make.tool(name="Withdrawn")
    withdrawn.withdraw(now - MINUTE)
    waiting = make.category(name="Agents", published_at=None)
    public = make.tool(name="Public", published_at=now - MINUTE)
    banners = []
    for tool in (
        make.tool(name="Draft", published_at=None),
        make.tool(name="Scheduled", published_at=now + MINUTE),
        public,
        withdrawn,
        make.tool(name="Waiting", in_category=waiting),
    ):
        page = preview_page(client, tool)
        assert (page.heading, page.title) == (
            tool.name,
            f"Preview: {tool.name}: ship or skip? — Ship or Skip",
        )
        assert (client.get(tool.get_absolute_url()).status_code == 200) is (tool == public)
        banner = page.one("aside", class_="preview-banner")
        masthead = page.one("header", class_="masthead")
        assert page.elements.index(banner) < page.elements.index(masthead)
        leads = [link.text for link in page.all("a") if banner in link.inside]
        assert leads == (["What readers see now"] if tool == public else [])
        banners.append(f"{tool.name}: {banner.text}")
    assert "\n".join(banners) == snapshot
    page = read(client.get(public.get_absolute_url()))
    assert page.of_class("preview-banner") == []
    assert "Preview" not in page.title


def test_it_is_never_cached_not_indexed_and_sets_no_cookie(client, editor_client):
    tool = make.tool(published_at=None)
    for browser in (client, editor_client):
        had = dict(browser.cookies)
        response = browser.get(link(tool))
        assert response["Cache-Control"] == "private, no-store"
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert not response.cookies
        assert "Cookie" not in response.get("Vary", "")
        assert dict(browser.cookies) == had
        page = read(response)
        assert page.one("meta", name="robots").attributes["content"] == "noindex, nofollow"
        assert page.all("link", rel="canonical") == []
    url = link(tool)  # the page shows the minute in which its link expires
    assert client.get(url).content == editor_client.get(url).content


def test_a_link_ends_after_seven_days_and_with_its_tool(client, clock):
    now = make.PUBLISHED
    aged, deleted, erased = (make.tool(name="Secret", published_at=None) for _ in range(3))
    links = [link(tool, now) for tool in (aged, deleted, erased)]
    for moment in (now + timedelta(days=7) - MINUTE, now):
        clock(moment)
        assert [client.get(each).status_code for each in links] == [200, 200, 200]
    deleted.remove(now)
    erased.delete()
    for each in links[1:]:
        assert_has_ended(client.get(each))
    for moment in (now + timedelta(days=7), now + timedelta(days=7) + MINUTE):
        clock(moment)
        assert_has_ended(client.get(links[0]))


def damaged_tokens(token):
    """A token cut, changed, mixed and made up."""
    payload, moment, signature = token.split(":")
    other = "A" if payload[0] != "A" else "B"
    return [
        token[:-1],
        token + "A",
        other + payload[1:] + f":{moment}:{signature}",
        f"{payload}:{signature}",
        payload,
        "::",
        "%00",
        "%ff%fe",
        "ü",
        "a" * 5000,
        "../../tools/alpha",
    ]


def test_a_damaged_or_foreign_link_is_not_found(client):
    tool = make.tool(slug="alpha", name="Secret", published_at=None)
    token = preview_tokens.sign("tool", tool.pk, tool.preview_key, timezone.now())
    paths = [f"/preview/tools/{bad}/" for bad in damaged_tokens(token)]
    paths.append(link(tool, kind="comparison"))
    for path in paths:
        response = client.get(path)
        assert response.status_code == 404, path
        page = read(response)
        assert "Secret" not in page.text
        if "../" not in path:
            assert page.heading == "This preview link does not work"
            assert "ask the person who sent it for a new one" in page.text
            assert response["X-Robots-Tag"] == "noindex, nofollow"


def test_it_accepts_no_post_and_no_link_signed_with_another_key(client, settings):
    tool = make.tool(published_at=None)
    strict = Client(enforce_csrf_checks=True)
    preview_link = link(tool)
    for method in ("POST", "PUT", "DELETE"):
        response = strict.generic(method, preview_link)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    head = client.head(preview_link)
    assert (head.status_code, head.content) == (200, b"")
    settings.SECRET_KEY = "another"
    assert client.get(preview_link).status_code == 404


def test_votes_and_bookmarks_are_not_offered_where_they_would_not_work(client):
    tool = make.tool(slug="alpha", published_at=None)
    page = preview_page(client, tool)
    assert not page.all("form", action="/tools/alpha/vote/")
    assert not page.all("form", action="/tools/alpha/bookmark/")
    assert "Voting works on the public page." in page.by_id("community").text
    assert "Saving works on the public page." in page.by_id("bookmarks").text
    me_url = page.one("a", href="/me/").attributes["data-hx-get"]
    assert me_url == "/me/marks/"
    fragment = client.get(me_url)
    assert "alpha" not in fragment.content.decode()
    assert not fragment.cookies


def test_a_renamed_namesake_keeps_its_link_and_a_draft_reveals_no_address(client):
    make.tool(name="Twin", label="first", published_at=None)
    tool = make.tool(slug="old", name="Twin", label="second", published_at=None)
    preview_link = link(tool)
    tool.rename("new")
    page = read(client.get(preview_link))
    assert page.title == "Preview: Twin (second): ship or skip? — Ship or Skip"
    assert "/tools/new/" in page.links
    assert client.get("/tools/old/").status_code == 404


def test_it_runs_as_many_queries_for_1_take_as_for_20(client, keep_content):
    tool = make.tool(published_at=None)
    keep_content()
    queries = []
    for takes in (1, 19):
        for _ in range(takes):
            make.take(on=tool, published_at=None)
        with CaptureQueriesContext(connection) as found:
            assert client.get(link(tool)).status_code == 200
        queries.append(len(found))
    assert queries[0] == queries[1]
