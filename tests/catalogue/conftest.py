"""Fixtures of the tests of the catalogue."""

import pytest

from tests import factories as make


@pytest.fixture
def csv_tools(db: None) -> None:
    """Four tools and two reviewers, for CSV files of takes to name."""
    chat = make.category(slug="chat")
    for position, slug in enumerate(["builder", "skeptic"]):
        make.reviewer(slug=slug, position=position)
    for slug in ("alpha", "beta", "a-1", "a1"):
        make.tool(slug=slug, in_category=chat)
