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


def test_a_draft_of_draft_tools_is_shown_in_its_order(client):
    row = draft()
    make.take(on=row.tools[0], score=84, published_at=None)
    make.take(on=row.tools[1], score=61, published_at=timezone.now() + MINUTE)
    page = read(client.get(link(row)))
    assert page.heading == "Beta vs Alpha"
    assert page.title.startswith("Preview: Beta vs Alpha: Which")
    assert "Choose Beta." in page.text
    assert "84/100" in page.text
    assert "61/100" in page.text
    assert client.get("/compare/beta-vs-alpha/").status_code == 404


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
        "card__name",
        "card__price",
        "personas",
        "card__text",
        "decision",
        "scorecard",
        "answer",
        "next",
        "comparison__names",
    ):
        texts = [
            re.sub(" 1 May 2026| Change (Alpha|Beta)| Weigh them yourself", "", e.text)
            for e in after.of_class(name)
        ]
        assert [e.text for e in before.of_class(name)] == texts
        assert before.of_class(name) or name == "next"


def test_the_banner_names_what_the_page_waits_for(client, clock):
    clock(make.PUBLISHED)
    row = draft()
    assert read(client.get(link(row))).one("aside").text == (
        "Preview of a draft. These must be public first: Beta (draft), Alpha (draft). "
        "This link works until 8 May 2026 09:00 UTC."
    )


def test_two_tools_of_one_category_wait_for_it_once(client):
    group = make.category(name="Agents", published_at=None)
    row = make.comparison(tools=[make.tool(in_category=group), make.tool(in_category=group)])
    banner = read(client.get(link(row))).one("aside").text
    assert "These must be public first: Agents (draft)." in banner


def test_a_withdrawn_comparison_is_shown(client):
    row = make.comparison()
    row.withdraw(timezone.now())
    banner = read(client.get(link(row))).one("aside").text
    assert banner.startswith("Preview: withdrawn since")


def test_scheduled_namesakes_are_distinguished(client):
    first = make.tool(name="Twin", label="first", published_at=None)
    second = make.tool(name="Twin", label="second", published_at=None)
    page = read(client.get(link(make.comparison(tools=(first, second)))))
    assert "Twin (first) vs Twin (second): Which" in page.title


def test_it_is_never_cached_and_not_indexed(client):
    response = client.get(link(draft()))
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert not response.cookies
    page = read(response)
    assert page.one("meta", name="robots").attributes["content"] == "noindex, nofollow"
    assert page.all("link", rel="canonical") == []


def test_votes_and_bookmarks_are_not_offered_where_they_would_not_work(client):
    page = read(client.get(link(draft())))
    sent = [form.attributes["action"] for form in page.all("form", method="post")]
    assert sent == ["/newsletter/join/"]
    assert page.one("a", href="/me/").attributes["data-hx-get"] == "/me/marks/"


def test_a_minute_before_seven_days_have_passed_it_works_and_a_minute_after_it_has_ended(
    client, clock
):
    row, now = draft(), make.PUBLISHED
    preview_link = link(row, now)
    clock(now + timedelta(days=7) - MINUTE)
    assert client.get(preview_link).status_code == 200
    clock(now + timedelta(days=7) + MINUTE)
    response = client.get(preview_link)
    assert response.status_code == 410
    assert read(response).heading == "This preview has expired"
    assert "Beta" not in response.content.decode()


def test_a_deleted_tool_takes_the_preview_of_its_comparison_with_it(client):
    row = draft()
    preview_link = link(row)
    row.tools[1].remove(timezone.now())
    assert client.get(preview_link).status_code == 410


def test_the_link_of_a_tool_shows_no_comparison(client):
    row = draft()
    token = preview_tokens.sign("tool", row.pk, row.preview_key, timezone.now())
    assert client.get(f"/preview/comparisons/{token}/").status_code == 404


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
