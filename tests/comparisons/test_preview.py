"""A comparison's preview, shown by a signed link."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from zeal import zeal_ignore

from comparisons.models import Comparison
from reviews.models import Take
from shipskip.web import preview_tokens
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def link(row, now=None):
    """A link to the comparison's preview, made at `now`."""
    token = preview_tokens.sign("comparison", row.pk, row.preview_key, now or timezone.now())
    return f"/preview/comparisons/{token}/"


def draft(**fields):
    """A draft comparison of two draft tools, `beta` before `alpha`."""
    tools = [
        make.tool(slug="beta", name="Beta", published_at=None, **fields),
        make.tool(slug="alpha", name="Alpha", published_at=None, **fields),
    ]
    return make.comparison(tools=tools, summary="Choose *Beta*.", published_at=None)


def test_a_draft_of_draft_tools_is_shown_to_those_with_the_link_alone(client, clock):
    clock(make.PUBLISHED)
    row = draft()
    make.take(on=row.tools[0], score=84, published_at=None)
    make.take(on=row.tools[1], score=61, published_at=make.PUBLISHED + MINUTE)
    response = client.get(link(row))
    page = read(response)
    assert page.heading == "Beta vs Alpha"
    assert page.title.startswith("Preview: Beta vs Alpha: Which")
    for text in ("Choose Beta.", "84/100", "61/100"):
        assert text in page.text
    assert page.one("aside").text == (
        "Preview of a draft. These must be public first: Beta (draft), Alpha (draft). "
        "This link works until 8 May 2026 09:00 UTC."
    )
    assert client.get("/compare/beta-vs-alpha/").status_code == 404
    # It is never cached and not indexed.
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert not response.cookies
    assert page.one("meta", name="robots").attributes["content"] == "noindex, nofollow"
    assert page.all("link", rel="canonical") == []
    # Votes and bookmarks would not work.
    sent = [form.attributes["action"] for form in page.all("form", method="post")]
    assert sent == ["/newsletter/join/"]
    assert page.one("a", href="/me/").attributes["data-hx-get"] == "/me/marks/"


def test_it_is_the_page_that_readers_get_once_all_of_it_is_public(client):
    row = draft()
    make.tool(in_category=row.tools[0].category)
    make.take(on=row.tools[0], score=84, published_at=None)
    preview_link = link(row)
    before = read(client.get(preview_link))
    for rows in (Tool, Take, Comparison):
        rows.objects.update(published_at=make.PUBLISHED)
    after = read(client.get("/compare/beta-vs-alpha/"))
    assert before.title == f"Preview: {after.title}"
    undated = before.of_class("answer__basis")[0].text  # because a draft has no date
    assert after.of_class("answer__basis")[0].text == f"{undated} · newest take 1 May 2026"
    for name in (
        *("card__name", "card__price", "personas", "card__text", "decision"),
        *("scorecard", "answer", "next", "comparison__names"),
    ):
        texts = [
            re.sub(" 1 May 2026| Change (Alpha|Beta)| Weigh them yourself", "", e.text)
            for e in after.of_class(name)
        ]
        assert [e.text for e in before.of_class(name)] == texts
        assert before.of_class(name) or name == "next"


def test_the_banner_names_one_category_once_and_a_withdrawal(client):
    group = make.category(name="Agents", published_at=None)
    row = make.comparison(tools=[make.tool(in_category=group), make.tool(in_category=group)])
    banner = read(client.get(link(row))).one("aside").text
    assert "These must be public first: Agents (draft)." in banner
    row.withdraw(timezone.now())
    banner = read(client.get(link(row))).one("aside").text
    assert banner.startswith("Preview: withdrawn since")


def test_scheduled_namesakes_are_distinguished(client):
    first = make.tool(name="Twin", label="first", published_at=None)
    second = make.tool(name="Twin", label="second", published_at=None)
    page = read(client.get(link(make.comparison(tools=(first, second)))))
    assert "Twin (first) vs Twin (second): Which" in page.title


def test_a_link_ends_after_seven_days_with_a_tool_and_shows_nothing_else(client, clock):
    row, now = draft(), make.PUBLISHED
    preview_link = link(row, now)
    clock(now + timedelta(days=7) - MINUTE)
    assert client.get(preview_link).status_code == 200
    token = preview_tokens.sign("tool", row.pk, row.preview_key, timezone.now())
    assert client.get(f"/preview/comparisons/{token}/").status_code == 404
    clock(now + timedelta(days=7) + MINUTE)
    response = client.get(preview_link)
    assert response.status_code == 410
    assert read(response).heading == "This preview has expired"
    assert "Beta" not in response.content.decode()
    preview_link = link(row)
    assert client.get(preview_link).status_code == 200
    row.tools[1].remove(timezone.now())
    assert client.get(preview_link).status_code == 410


def test_a_renamed_tool_keeps_the_preview_and_the_old_address_of_the_pair(client):
    row = make.comparison(tools=(make.tool(slug="old", name="Old"), make.tool(slug="b")))
    preview_link = link(row)
    row.tools[0].rename("new")
    page = read(client.get(preview_link))
    assert page.one("a", aria_current="page").attributes["href"] == "/compare/new-vs-b/"
    response = client.get("/compare/old-vs-b/")
    assert (response.status_code, response["Location"]) == (301, "/compare/new-vs-b/")


def test_it_runs_as_many_queries_for_1_take_as_for_20(client, keep_content):
    row = draft()
    keep_content()
    queries = []
    for takes in (1, 19):
        for _ in range(takes):
            make.take(on=row.tools[0], published_at=None)
        with CaptureQueriesContext(connection) as found:
            assert client.get(link(row)).status_code == 200
        queries.append(len(found))
    assert queries[0] == queries[1]


def test_the_desk_links_to_a_preview_and_a_publisher_ends_the_links(client):
    row = draft()
    writer, publisher = desk_of("Writers"), desk_of("Publishers")
    url = f"/admin/comparisons/comparison/{row.pk}"
    response = writer.get(f"{url}/preview/")
    assert response.status_code == 303
    assert client.get(response["Location"]).status_code == 200
    assert writer.post(f"{url}/withdraw-previews/").status_code == 403
    versions = row.history.count()
    assert publisher.post(f"{url}/withdraw-previews/").status_code == 303
    assert client.get(response["Location"]).status_code == 410
    assert row.history.count() == versions
    with zeal_ignore():
        page = read(publisher.get(f"{url}/change/"))
    assert "/preview/comparisons/" in page.by_id("preview-link").attributes["value"]
