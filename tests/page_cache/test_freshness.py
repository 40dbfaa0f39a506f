"""Cached pages equal rendered ones: readers see every change at once."""

from datetime import timedelta
from typing import Any

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
from tests.page_cache.counts import answered
from tests.reviews.voters import cast
from tools.models import Category, Tool

pytestmark = [pytest.mark.usefixtures("page_cache"), pytest.mark.both_databases]
PAIR = "/compare/alpha-vs-beta/"
MINUTE = timedelta(minutes=1)


def hits(client: Client, path: str) -> int:
    """How many of three requests for a path the cache answers."""
    before = answered("hit")
    for _ in range(3):
        client.get(path)
    return answered("hit") - before


def assert_as_rendered(client: Client, path: str) -> bytes:
    """Assert that the cached page is the one that would be rendered now; return it."""
    given = client.get(path).content
    cache.reset()
    assert client.get(path).content == given, path
    return given


def alpha() -> Tool:
    return Tool.objects.get(slug="alpha")


CHANGES = {
    "a take's score": lambda: Take.objects.filter(tool=alpha()).update(score=7),
    "a new take": lambda: make.take(on=alpha(), by=make.reviewer(name="Newcomer")),
    "a deleted take": lambda: Take.objects.filter(tool=alpha())[0].remove(timezone.now()),
    "a tool's name": lambda: Tool.objects.filter(slug="alpha").update(name="Renamed"),
    "a withdrawn tool": lambda: alpha().withdraw(timezone.now()),
    "a renamed slug": lambda: alpha().rename("omega"),
    "a category's name": lambda: Category.objects.update(name="Helpers"),
    "a reviewer's name": lambda: Reviewer.objects.filter(slug="builder").update(name="Maker"),
    "a comparison's summary": lambda: Comparison.objects.update(summary="Changed"),
    "rows written by hand": lambda: connection.cursor().execute(
        "UPDATE tools_tool SET name = 'By hand' WHERE slug = 'alpha'"
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_readers_see_a_change_of_public_content(client, change):
    addresses.sample_site()
    before = client.get(PAIR)
    assert hits(client, PAIR) == 3
    change()
    after = client.get(PAIR)
    assert (after.status_code, after.content) != (before.status_code, before.content)


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


@pytest.mark.parametrize("kind", ["tool", "comparison", "take", "category", "reviewer"])
def test_readers_see_what_is_scheduled_when_its_time_comes(client, clock, kind):
    addresses.sample_site()
    models: dict[str, Any] = {"tool": Tool, "comparison": Comparison, "take": Take}
    models |= {"category": Category, "reviewer": Reviewer}
    now = timezone.now()
    clock(now)
    models[kind].objects.update(published_at=now + MINUTE)
    before = client.get("/sitemap.xml")
    client.get(PAIR)
    assert hits(client, "/sitemap.xml") == 3
    version = current_version.get()
    clock(now + 2 * MINUTE)
    assert hits(client, "/sitemap.xml") == 2
    assert current_version.get() != version
    assert client.get(PAIR).status_code == 200
    assert before.status_code == 200


def test_no_page_is_rendered_again_without_a_change(client):
    addresses.sample_site()
    for path in addresses.PUBLIC.values():
        client.get(path)
    version, misses = current_version.get(), answered("miss")
    for name, path in addresses.PUBLIC.items():
        assert name in addresses.REDIRECTS or hits(client, path) == 3, name
    assert (current_version.get(), answered("miss")) == (version, misses)


LISTS = ("/tools/", "/categories/agents/")
TWINS = set(addresses.FOR_PROGRAMS.values())
"""What programs read; all of the API lives as shortly as what has tallies."""


def test_a_page_with_tallies_is_rendered_again_after_55_seconds(client):
    """Every reader sees a vote within a minute; pages without tallies stay cached."""
    addresses.sample_site()
    before = {path: client.get(path).content for path in addresses.PUBLIC.values()}
    for tool in Tool.objects.all():
        cast(tool, "ship")
    assert {path: client.get(path).content for path in before} == before
    age_cached_pages(56)
    after = {path: client.get(path).content for path in before}
    changed = {path for path in before if after[path] != before[path]}
    assert changed - TWINS == {PAIR, *LISTS, "/tools/alpha/"}
    assert {"/compare/alpha-vs-beta.json", "/tools/alpha.md", "/tools.csv"} <= changed
    cache.reset()
    assert {path: client.get(path).content for path in before} == after


def age_cached_pages(seconds: float) -> None:
    """Make the cached pages older by this number of seconds."""
    pages = [(memory, dict(memory.pages)) for memory in (cache.pages, cache.others)]
    for memory, rows in pages:
        memory.pages.clear()
        for key, page in rows.items():
            memory.set(key, page._replace(expires=page.expires - seconds))


def test_every_page_that_shows_votes_says_so(client):
    """A page whose bytes change with a vote, with the numbers of a finished day, or with the files
    of /data/, lives shortly, and no other page does.
    """
    views = {name: public_view(row.callback) for name, row in addresses.patterns()}
    paths = addresses.PUBLIC | addresses.FILES
    with_tallies = {paths[name] for name, view in views.items() if view and view.tallies}
    assert with_tallies - TWINS == ({PAIR, *LISTS, "/tools/alpha/", "/methodology/", "/programs/"})
