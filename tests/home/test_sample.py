"""The sample catalogue, as readers see it."""

import io
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from comparisons.models import Comparison
from reviews.models import Reviewer
from shipskip.page_cache.cached_page import QUALITY_FOR_MANY, compressed
from shipskip.web.assets import build
from shipskip.web.integrity import checksum
from tests.catalogue.documents import load
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db
BUDGET = 16_384
"""Bytes of a comparison of two tools and its style sheet, compressed."""


def test_the_sample_has_its_own_titles_texts_and_most_pairs_keep_to_the_budget(client):
    """All in one test, because the load and the pages take seconds."""
    load(io.BytesIO(Path("fixtures/catalogue.json").read_bytes()))
    featured = Comparison.objects.filter(featured=True)
    assert [len(row.choose_if) for row in featured] == [2] * 5

    pairs = [row for row in Comparison.objects.filter(featured=False) if len(row.tool_ids) == 2]
    rows = [*Tool.objects.all(), *Comparison.objects.all(), *Reviewer.objects.all()]
    paths = [row.get_absolute_url() for row in [*rows, *Category.objects.all()]]
    names = ("tools:list", "tools:categories", "reviews:reviewers", "comparisons:picker")
    paths += ["/", *(reverse(name) for name in (*names, "methodology", "newsletter:join"))]
    responses = {path: client.get(path) for path in paths}
    pages = [response.content.decode() for response in responses.values()]
    for element in ("title", "h1"):
        html = [page.partition(f"<{element}")[2].partition(f"</{element}>")[0] for page in pages]
        texts = [re.sub(r"^[^>]*>|<[^>]*>", "", text).strip() for text in html]
        assert sorted(set(texts)) == sorted(filter(None, texts))
        assert not [text for text in texts if "…" in text], "no title cuts a name"

    for section in ("tools", "comparisons", "reviewers"):
        sitemap = client.get(f"/sitemap-{section}.xml").content.decode()
        for path, day in re.findall(
            rf"<loc>{settings.SITE_URL}(.*?)</loc><lastmod>(.*?)<", sitemap
        ):
            modified = f'<meta property="article:modified_time" content="{day}">'
            assert modified in responses[path].content.decode(), path

    # Two of the five pairs have longer takes; what all pages share may not grow.
    style = len(compressed(build("site.css").read_bytes(), "br", quality=11))
    # A checksum compresses by luck, to 30 bytes more or less; so each script of ours has the same.
    fixed = f'site.js" integrity="{checksum("icon.svg")}"'.encode()
    contents = [
        re.sub(rb'site\.js" integrity="[^"]*"', fixed, responses[row.get_absolute_url()].content)
        for row in pairs
    ]
    sizes = sorted(style + len(compressed(page, "br", QUALITY_FOR_MANY)) for page in contents)
    assert all(fixed in content for content in contents)
    assert len(sizes) == 5
    assert sizes[2] <= BUDGET, f"{sizes}: what all pages share may not grow"
