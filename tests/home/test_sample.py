"""The sample catalogue, as readers see it."""

import io
from pathlib import Path

import pytest
from django.urls import reverse

from comparisons.models import Comparison
from reviews.models import Reviewer
from shipskip.page_cache.cached_page import QUALITY_FOR_MANY, compressed
from shipskip.web.assets import build
from tests.catalogue.documents import load
from tests.markup import read
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db
SITE = " — Ship or Skip"


@pytest.fixture
def sample() -> None:
    load(io.BytesIO(Path("fixtures/catalogue.json").read_bytes()))


@pytest.mark.usefixtures("sample")
def test_each_featured_comparison_has_its_own_text_on_when_to_choose_which():
    featured = Comparison.objects.filter(featured=True)
    assert [len(row.choose_if) for row in featured] == [2] * 5


@pytest.mark.usefixtures("sample")
def test_no_two_pages_share_a_heading_or_a_title_and_no_title_cuts_a_name(client):
    rows = [*Tool.objects.all(), *Comparison.objects.all(), *Reviewer.objects.all()]
    paths = [row.get_absolute_url() for row in [*rows, *Category.objects.all()]]
    names = ("tools:list", "tools:categories", "reviews:reviewers", "comparisons:picker")
    paths += ["/", *(reverse(name) for name in (*names, "methodology", "newsletter:join"))]
    pages = [read(client.get(path)) for path in paths]
    headings = [page.heading for page in pages]
    assert sorted(set(headings)) == sorted(headings)
    titles = [page.title.removesuffix(SITE) for page in pages]
    assert sorted(set(titles)) == sorted(titles)
    assert not [title for title in titles if "…" in title]


BUDGET = 16_384
"""Bytes of a comparison of two tools and its style sheet, compressed."""


@pytest.mark.usefixtures("sample")
def test_most_of_the_five_pairs_keep_to_the_budget_of_bytes(client):
    """The two others have longer takes; what all pages share may not grow."""
    style = len(compressed(build("site.css").read_bytes(), "br", quality=11))
    pairs = [row for row in Comparison.objects.filter(featured=False) if len(row.tool_ids) == 2]
    pages = [client.get(row.get_absolute_url()).content for row in pairs]
    sizes = sorted(style + len(compressed(page, "br", QUALITY_FOR_MANY)) for page in pages)
    assert len(sizes) == 5
    assert sizes[2] <= BUDGET, sizes
