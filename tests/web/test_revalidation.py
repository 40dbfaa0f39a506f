"""Cached pages are revalidated, and differ from a scheduled moment on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from tests import addresses
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NOW = timezone.now().replace(microsecond=0)

SHOWS = {
    "take": (
        "home tools:list tools:detail tools:category comparisons:detail reviews:reviewers"
        " reviews:reviewer methodology"
    ),
    "tool": (
        "home tools:list tools:detail tools:category comparisons:picker comparisons:detail"
        " methodology sitemap-section"
    ),
    "comparison": "home comparisons:picker comparisons:detail",
    "category": "tools:categories tools:list",
    "reviewer": "home reviews:reviewers methodology tools:detail tools:changes",
}
"""Which pages change when one of a kind becomes public."""


def schedule(kind):
    """One more row of that kind, public from NOW on, that the pages of the sample site show."""
    alpha, beta = Tool.objects.get(slug="alpha"), Tool.objects.get(slug="beta")
    builder = Reviewer.objects.get(slug="builder")
    if kind == "take":
        Take.objects.filter(reviewer=builder).update(published_at=None)
        Take.objects.filter(reviewer=builder, tool=alpha).update(published_at=NOW)
    elif kind == "tool":
        row = make.tool(slug="al", name="Al", in_category=alpha.category, published_at=NOW)
        make.comparison(tools=(row, beta))
        make.take(on=row, by=builder)
    elif kind == "comparison":
        Comparison.objects.update(summary="Scheduled", published_at=NOW)
    elif kind == "category":
        make.category(published_at=NOW)
    else:
        later = make.reviewer(published_at=NOW)
        make.take(on=alpha, by=later)
        make.take_change(on=alpha, by=later, at=make.PUBLISHED)


@pytest.mark.parametrize("kind", SHOWS)
def test_a_cached_page_is_replaced_at_the_scheduled_time(client, clock, kind):
    addresses.sample_site()
    schedule(kind)
    paths = [addresses.PUBLIC[name] for name in SHOWS[kind].split()]
    new = ["/tools/al/", "/compare/al-vs-beta/"] if kind == "tool" else []
    paths += ["/compare/suggest/?tools=al"] if kind == "tool" else []
    clock(NOW - MINUTE)
    before = {path: client.get(path) for path in paths}
    for path, response in before.items():
        assert response.status_code == 200, path
        headers = {"if-none-match": response["ETag"]}
        assert client.get(path, headers=headers).status_code == 304, path
    for path in new:
        missing = client.get(path)
        assert (missing.status_code, missing["Cache-Control"]) == (404, "private, no-store")
    clock(NOW + MINUTE)
    for path, response in before.items():
        after = client.get(path, headers={"if-none-match": response["ETag"]})
        assert after.status_code == 200, path
        assert after.content != response.content, path
    assert {client.get(path).status_code for path in new} <= {200}
