"""The slug that is proposed for a name."""

import re

import pytest

from shipskip.web.slugs import MAX_LENGTH, propose_slug, slug_fault

NAMES = {
    "Cursor v0.50 – Agent": "cursor-v050-agent",
    "Zoë & Ævar": "zoe-aevar",
    "Tool vs Tool": "tool-tool",
    "VS": None,
    "snake_case__name": "snake-case-name",
    "שלום": "slvm",
    "智能": "zhineng",
    "🚀": "rocket",
    "☃ \u200f": "snowman2",
    "\ue000": None,
    "!!!": None,
    "a" * 99 + " b": "a" * 99,
}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gets_a_valid_slug(name):
    slug = propose_slug(name, "tool")
    assert slug_fault(slug) is None
    assert len(slug) <= MAX_LENGTH
    if NAMES[name]:
        assert slug == NAMES[name]
    else:
        assert re.fullmatch("tool-[0-9a-f]{6}", slug)
