"""The functions of plain values: what programs get of the pages' own objects."""

import json

import pytest
from django.http import Http404
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.content.page_objects import comparison_page, tool_page
from shipskip.programs import data
from tests import factories as make
from tests.addresses import sample_site

pytestmark = pytest.mark.django_db


def test_every_thing_becomes_plain_json():
    sample_site()
    content = Content(None, timezone.now())
    (first, second, *_) = content.tools
    found = [
        data.tool_data(content, tool_page(content, first.slug)),
        data.comparison_data(comparison_page(content, [second.slug, first.slug])),
        [data.category_data(content, row) for row in content.categories],
        [data.reviewer_data(content, row) for row in content.reviewers],
        [data.attribute_data(content, row) for row in content.attributes],
        [data.listed_take_data(first, take) for take in first.takes],
    ]
    assert json.loads(json.dumps(found)) == found


def test_a_tool_says_its_decided_reports_and_a_draft_or_unknown_tool_is_not_found():
    tool = make.tool(slug="alpha")
    make.tool(slug="draft", published_at=None)
    make.decision(tool=tool)
    make.decision(tool=tool, result="spam")
    make.report(tool=tool)
    make.decision(tool=make.tool(slug="beta"))
    content = Content(None, timezone.now())
    assert data.tool_data(content, tool_page(content, "alpha"))["corrections"] == 1
    with pytest.raises(Http404, match="“draft” or “none”"):
        comparison_page(content, ["alpha", "draft", "none"])
    with pytest.raises(Http404):
        tool_page(content, "draft")
    with pytest.raises(Http404, match="at least two"):
        comparison_page(content, ["alpha", "alpha"])
