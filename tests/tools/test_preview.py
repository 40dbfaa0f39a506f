"""Previews of tools and comparisons: what a signed link shows, how the desk makes and ends it."""

import re
from datetime import timedelta
from difflib import ndiff

import pytest
from django.conf import settings as site
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.web import preview_tokens
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import list_of, page_of
from tests.markup import read
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]
MINUTE, WEEK = timedelta(minutes=1), timedelta(days=7)
SHOWN = {"tool": "/tools/alpha/", "comparison": "/compare/beta-vs-alpha/"}
KINDS = pytest.mark.parametrize("kind", SHOWN)


def link(row, now=None, kind="") -> str:
    name = row._meta.model_name
    token = preview_tokens.sign(kind or name, row.pk, row.preview_key, now or timezone.now())
    return f"/preview/{name}s/{token}/"


def draft(kind: str):
    """A draft tool `alpha`, or a draft comparison of it and `beta`, in draft categories, with
    takes that are a draft, scheduled, and by a reviewer who is a draft.
    """
    agents = make.category(name="Agents", published_at=None)
    fields = {"published_at": None, "in_category": agents, "description": "*Why*"}
    beta = make.tool(slug="beta", name="Secret Beta", **fields)
    alpha = make.tool(slug="alpha", name="Secret Alpha", **fields)
    make.take(on=alpha, score=84, published_at=None)
    make.take(on=alpha, score=40, verdict="skip", published_at=timezone.now() + MINUTE)
    make.take(on=alpha, score=61, by=make.reviewer(position=1, published_at=None))
    if kind == "tool":
        return alpha
    return make.comparison(tools=[beta, alpha], summary="Choose *Beta*.", published_at=None)


def assert_has_ended(response):
    assert response.status_code == 410
    page = read(response)
    assert page.heading == "This preview has expired"
    assert "Ask the person who sent it for a new one." in page.text
    assert "Secret" not in page.text
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert not response.cookies


@KINDS
def test_it_is_the_page_that_readers_get_once_all_of_it_is_public(client, snapshot, clock, kind):
    """Except for the banner, the forms that work only on the public page, and dates of takes."""
    clock(make.PUBLISHED + timedelta(days=1))
    row = draft(kind)
    before = read(client.get(link(row))).visible_text
    assert "84/100 · ship" in before
    assert "61/100 · ship" in before
    for rows in (Category, Tool, Comparison, Take, Reviewer):
        rows.objects.update(published_at=make.PUBLISHED)
    after = read(client.get(SHOWN[kind])).visible_text
    lines = ndiff(before.splitlines(), after.splitlines())
    assert "\n".join(line for line in lines if line[0] in "-+") == snapshot
    # What is withdrawn is not shown.
    Take.objects.get(score=84).withdraw(timezone.now())
    Reviewer.objects.get(position=1).withdraw(timezone.now())
    text = read(client.get(link(row))).visible_text
    assert "84/100" not in text
    assert "61/100" not in text


def test_a_banner_at_the_top_shows_the_state_and_when_the_link_expires(client, clock, snapshot):
    now = make.PUBLISHED + timedelta(days=1)
    clock(now)
    withdrawn, renamed = make.tool(name="Withdrawn"), make.tool(slug="old", name="Renamed")
    withdrawn.withdraw(now - MINUTE)
    waiting = make.category(name="Agents", published_at=None)
    public = make.tool(name="Public", published_at=now - MINUTE)
    twins = [make.tool(name="Twin", label=label, published_at=None) for label in ("one", "two")]
    rows = {
        "scheduled": make.tool(name="Scheduled", published_at=now + MINUTE),
        "public": public,
        "withdrawn": withdrawn,
        "waiting": make.tool(name="Waiting", in_category=waiting),
        "namesake": twins[1],
        "draft of namesakes": make.comparison(tools=twins, published_at=None),
        "of a withdrawn tool": make.comparison(tools=[make.tool(), withdrawn]),
        "renamed": make.comparison(tools=(renamed, public)),
    }
    links = {name: link(row) for name, row in rows.items()}
    renamed.rename("new")
    banners = []
    for name, url in links.items():
        page = read(client.get(url))
        banner = page.one("aside", class_="preview-banner")
        masthead = page.one("header", class_="masthead")
        assert page.elements.index(banner) < page.elements.index(masthead)
        leads = [each.attributes["href"] for each in page.all("a") if banner in each.inside]
        banners.append(f"{name}: {page.title}: {banner.text} {leads}")
        assert (client.get(rows[name].get_absolute_url()).status_code == 200) is bool(leads), name
    assert "\n".join(banners) == snapshot
    page = read(client.get(public.get_absolute_url()))
    assert page.of_class("preview-banner") == []
    assert "Preview" not in page.title


@KINDS
def test_it_is_never_cached_not_indexed_sets_no_cookie_and_offers_no_vote(
    client, editor_client, kind
):
    row = draft(kind)
    url = editor_client.get(page_of(row, "preview"))["Location"]
    for browser in (editor_client, client):
        response = browser.get(url)
        assert response["Cache-Control"] == "private, no-store"
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert "Cookie" not in response.get("Vary", "")
        assert not response.cookies
    page = read(response)
    assert page.one("meta", name="robots").attributes["content"] == "noindex, nofollow"
    assert page.all("link", rel="canonical") == []
    # Votes and bookmarks would not work.
    sent = {form.attributes["action"] for form in page.all("form", method="post")}
    assert sent <= {"/newsletter/join/"}
    assert page.one("a", href="/me/").attributes["data-hx-get"] == "/me/marks/"
    assert client.get(SHOWN[kind]).status_code == 404
    response = client.post(url)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


@KINDS
def test_a_link_ends_after_seven_days_and_with_its_row(client, clock, kind):
    row, now = draft(kind), make.PUBLISHED
    for moment, is_valid in ((now, True), (now + WEEK - MINUTE, True), (now + WEEK, False)):
        clock(moment)
        response = client.get(link(row, now))
        assert response.status_code == (200 if is_valid else 410)
    assert_has_ended(response)
    url = link(row)
    Tool.objects.get(slug="alpha").remove(timezone.now())
    assert_has_ended(client.get(url))
    Tool.everything.get(slug="alpha").delete()
    assert_has_ended(client.get(url))


def test_a_damaged_or_foreign_link_is_not_found(client, settings):
    tool = make.tool(slug="alpha", name="Secret", published_at=None)
    token = link(tool).split("/")[3]
    payload, moment, signature = token.split(":")
    bad = [token[:-1], token + "A", f"A{payload}:{moment}:{signature}", payload, "::"]
    bad += ["%ff%fe", link(tool, kind="comparison").split("/")[3]]
    for text in bad:
        response = client.get(f"/preview/tools/{text}/")
        page = read(response)
        assert (response.status_code, page.heading) == (404, "This preview link does not work")
        assert "Secret" not in page.text
        assert "ask the person who sent it for a new one" in page.text
        assert response["X-Robots-Tag"] == "noindex, nofollow"
    row = make.comparison(tools=(tool, make.tool()))
    assert client.get(link(row, kind="tool")).status_code == 404
    url = link(tool)
    settings.SECRET_KEY = "another"
    assert client.get(url).status_code == 404


@KINDS
def test_it_runs_as_many_queries_for_1_take_as_for_20_and_reads_few_rows(
    client, keep_content, kind, django_assert_num_queries
):
    row = draft(kind)
    keep_content()
    with CaptureQueriesContext(connection) as few:
        client.get(link(row))
    whole = [query for query in few if not re.search(r'id"? (=|IN) \(?\d', query["sql"])]
    assert len(whole) == 2, "only categories and reviewers are few enough"
    for _ in range(19):
        make.take(on=Tool.objects.get(slug="alpha"), published_at=None)
    with django_assert_num_queries(len(few)):
        client.get(link(row))


def test_editors_make_links_and_publishers_end_all_of_a_row(client, writer, publisher):
    row, other, staff = draft("tool"), make.tool(published_at=None), desk_of()
    change, preview, end = (page_of(row, a) for a in ("change", "preview", "withdraw-previews"))
    response = writer.get(preview)
    made, others = response["Location"], link(other)
    assert response.status_code == 303
    # Each address accepts only its method, and of editors with the right.
    assert client.get(preview)["Location"].startswith("/admin/login/")
    refused = [staff.get(preview), staff.post(end), writer.post(end)]
    refused += [publisher.post(preview), publisher.get(end)]
    assert [each.status_code for each in refused] == [403, 403, 403, 405, 405]
    assert publisher.get("/admin/tools/tool/999/preview/").status_code == 302
    assert client.get(made).status_code == 200
    # The form has a link to copy; publishers end all of them there.
    page = read(writer.get(change))
    field = page.by_id("preview-link")
    assert "readonly" in field.attributes
    assert field.within("form") is None
    address = field.attributes["value"].removeprefix(site.SITE_URL)
    assert client.get(address).status_code == 200
    assert preview in page.links
    assert "Withdraw all preview links" not in page.text
    form = read(publisher.get(change)).one("form", action=end)
    assert form.within("form") is None
    assert "Withdraw all preview links" in form.text
    versions = row.history.count()
    response = publisher.post(end, follow=True)
    assert response.redirect_chain == [(change, 303)]
    assert "have stopped working" in response.content.decode()
    for ended in (made, address):
        assert_has_ended(client.get(ended))
    row.refresh_from_db()
    assert row.history.count() == versions
    assert client.get(link(row)).status_code == client.get(others).status_code == 200


@pytest.mark.parametrize(
    ("place", "is_ticked"), [("on its page", True), ("in the list", False), ("in the list", True)]
)
def test_withdrawing_ends_the_links_unless_the_editor_ticks_that_they_stay(
    client, publisher, place, is_ticked
):
    tool = make.tool(name="Secret")
    url, path, sent = link(tool), page_of(tool, "withdraw"), {}
    if place == "in the list":
        path, sent = list_of(tool), {"action": "withdraw_chosen", "_selected_action": tool.pk}
    page = read(publisher.post(path, sent) if sent else publisher.get(path))
    assert page.one("input", name="_keep_previews")
    ticked = {"_keep_previews": "on"} if is_ticked else {}
    publisher.post(path, sent | {"post": "yes"} | ticked)
    tool.refresh_from_db()
    assert tool.state(timezone.now()) != "public"
    assert client.get(url).status_code == (200 if is_ticked else 410)
    assert client.get(link(tool)).status_code == 200


def test_a_scheduled_tool_that_is_taken_off_the_schedule_keeps_its_links(client, publisher):
    tool = make.tool(published_at=timezone.now() + MINUTE)
    url = link(tool)
    publisher.post(page_of(tool, "withdraw"))
    assert client.get(url).status_code == 200
