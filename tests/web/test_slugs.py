"""Addresses of tools, categories and reviewers, and those proposed for their names."""

import re

import pytest
from django.core.exceptions import ValidationError

from shipskip.web.slugs import MAX_LENGTH, propose_slug, slug_fault, validate_slug

SIGNS = "use lowercase letters a-z, digits and single hyphens"
REFUSED = {
    **dict.fromkeys(["", "A", "-a", "a-", "a--b", "a b", "a_b", "a.b", "a/b"], SIGNS),
    **dict.fromkeys(["é", "ａ", "٣", "a\n", "\na", "a\x00"], SIGNS),
    **dict.fromkeys(["vs", "a-vs", "vs-a", "a-vs-b"], "“vs”"),
    "a" * 101: "is 101 characters long; at most 100",
}


def test_small_letters_digits_and_single_hyphens_are_accepted_and_nothing_else():
    for slug in ("a", "7", "gpt-5", "a-b-c", "vsx", "x-vsx", "a" * MAX_LENGTH):
        assert slug_fault(slug) is None, slug
        validate_slug(slug)
    for slug, reason in REFUSED.items():
        assert reason in (slug_fault(slug) or ""), ascii(slug)
        with pytest.raises(ValidationError):
            validate_slug(slug)


def test_a_refusal_does_not_repeat_a_huge_text():
    with pytest.raises(ValidationError) as refusal:
        validate_slug("A" * 1_000_000)
    assert len(str(refusal.value)) < 300


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


def test_every_name_gets_a_valid_slug():
    for name, expected in NAMES.items():
        slug = propose_slug(name, "tool")
        assert slug_fault(slug) is None, name
        assert len(slug) <= MAX_LENGTH, name
        assert re.fullmatch(expected or "tool-[0-9a-f]{6}", slug), name
