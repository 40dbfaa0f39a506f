"""Cached pages equal rendered ones: readers see every change at once."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.page_cache.content_version import current_version
from shipskip.page_cache.middleware import cache
from shipskip.web.cache_control import public_view
from tests import addresses
from tests import factories as make
from tests.page_cache.cached_pages import age_cached_pages, answered
from tests.reviews.voters import cast
from tools.models import Category, Tool

pytestmark = pytest.mark.usefixtures("page_cache")
PAIR = "/compare/alpha-vs-beta/"
MINUTE = timedelta(minutes=1)


def hits(client: Client, path: str) -> int:
    """How many of three requests for a path the cache answers."""
    before = answered("hit")
    for _ in range(3):
        client.get(path)
    return answered("hit") - before


def alpha() -> Tool:
    return Tool.objects.get(slug="alpha")


def by_hand() -> None:
    connection.cursor().execute("UPDATE tools_tool SET name = 'By hand' WHERE slug = 'alpha'")


CHANGES = {
    "a take's score": lambda: Take.objects.filter(tool=alpha()).update(score=7),
    "a new take": lambda: make.take(on=alpha(), by=make.reviewer(name="Newcomer")),
    "a deleted take": lambda: Take.objects.filter(tool=alpha())[0].remove(timezone.now()),
    "a tool's name": lambda: Tool.objects.filter(slug="alpha").update(name="Renamed"),
    "a category's name": lambda: Category.objects.update(name="Helpers"),
    "a reviewer's name": lambda: Reviewer.objects.exclude(name="Newcomer").update(name="Maker"),
    "a comparison's summary": lambda: Comparison.objects.update(summary="Changed"),
    "rows written by hand": by_hand,
    "a withdrawn tool": lambda: alpha().withdraw(timezone.now()),
    "a tool that is back": lambda: Tool.everything.update(published_at=make.PUBLISHED),
    "a renamed slug": lambda: alpha().rename("omega"),
}


@pytest.mark.both_databases
def test_readers_see_every_change_of_public_content(client):
    addresses.sample_site()
    for name, change in CHANGES.items():
        before = client.get(PAIR)
        assert before.status_code == 404 or hits(client, PAIR) == 3, name
        change()
        after = client.get(PAIR)
        assert (after.status_code, after.content) != (before.status_code, before.content), name


@pytest.mark.both_databases
def test_a_rolled_back_change_changes_no_page(client):
    addresses.sample_site()
    before = client.get(PAIR).content
    with pytest.raises(ZeroDivisionError):
        change_and_roll_back()
    assert hits(client, PAIR) == 3
    assert client.get(PAIR).content == before


def change_and_roll_back() -> None:
    with transaction.atomic():
        Tool.objects.update(name="Never")
        1 / 0  # noqa: B018


@pytest.mark.both_databases
def test_readers_see_what_is_scheduled_when_its_time_comes(client, clock):
    addresses.sample_site()
    now = timezone.now()
    for model in (Tool, Comparison, Take, Category, Reviewer):
        clock(now)
        model.objects.update(published_at=now + MINUTE)
        before = client.get("/sitemap.xml")
        client.get(PAIR)
        assert hits(client, "/sitemap.xml") == 3
        version = current_version.get()
        now += 2 * MINUTE
        clock(now)
        assert hits(client, "/sitemap.xml") == 2, model
        assert current_version.get() != version
        assert client.get(PAIR).status_code == before.status_code == 200


LISTS = ("/tools/", "/categories/agents/")
TWINS = set(addresses.FOR_PROGRAMS.values())
"""What programs read; all of the API lives as shortly as what has tallies."""


def test_no_page_is_rendered_again_without_a_change_but_one_with_tallies_after_55_seconds(client):
    """Every reader sees a vote within a minute; pages without tallies stay cached."""
    addresses.sample_site()
    before = {path: client.get(path).content for path in addresses.PUBLIC.values()}
    version, hits, misses = current_version.get(), answered("hit"), answered("miss")
    for tool in Tool.objects.all():
        cast(tool, "ship")
    assert {path: client.get(path).content for path in before} == before
    assert (current_version.get(), answered("miss")) == (version, misses)
    assert answered("hit") - hits == len(before) - len(addresses.REDIRECTS)
    age_cached_pages(56)
    after = {path: client.get(path).content for path in before}
    changed = {path for path in before if after[path] != before[path]}
    assert changed - TWINS == {PAIR, *LISTS, "/tools/alpha/"}
    assert {"/compare/alpha-vs-beta.json", "/tools/alpha.md", "/tools.csv"} <= changed
    cache.reset()
    assert {path: client.get(path).content for path in before} == after


def test_every_page_that_shows_votes_says_so():
    """A page whose bytes change with a vote, with the numbers of a finished day, or with the files
    of /data/, lives shortly, and no other page does.
    """
    views = {name: public_view(row.callback) for name, row in addresses.patterns()}
    paths = addresses.PUBLIC | addresses.FILES
    with_tallies = {paths[name] for name, view in views.items() if view and view.tallies}
    assert with_tallies - TWINS == ({PAIR, *LISTS, "/tools/alpha/", "/methodology/", "/programs/"})
