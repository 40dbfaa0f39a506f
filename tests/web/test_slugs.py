"""Addresses of tools, categories and reviewers."""

import pytest
from django.core.exceptions import ValidationError

from shipskip.web.slugs import MAX_LENGTH, slug_fault, validate_slug


@pytest.mark.parametrize("slug", ["a", "7", "gpt-5", "a-b-c", "vsx", "x-vsx", "a" * MAX_LENGTH])
def test_small_letters_digits_and_single_hyphens_are_accepted(slug: str):
    assert slug_fault(slug) is None
    validate_slug(slug)


@pytest.mark.parametrize(
    "slug",
    [
        "",
        "A",
        "-a",
        "a-",
        "a--b",
        "a b",
        "a_b",
        "a.b",
        "a/b",
        "é",
        "ａ",
        "٣",
        "a\n",
        "\na",
        "a\x00",
    ],
    ids=ascii,
)
def test_any_other_value_is_refused_with_what_is_accepted(slug: str):
    assert "use lowercase letters a-z, digits and single hyphens" in (slug_fault(slug) or "")
    with pytest.raises(ValidationError):
        validate_slug(slug)


@pytest.mark.parametrize("slug", ["vs", "a-vs", "vs-a", "a-vs-b"])
def test_the_word_vs_is_refused(slug: str):
    assert "“vs”" in (slug_fault(slug) or "")


def test_a_slug_that_is_too_long_is_refused_with_its_length():
    assert "is 101 characters long; at most 100" in (slug_fault("a" * 101) or "")


def test_a_refusal_does_not_repeat_a_huge_text():
    with pytest.raises(ValidationError) as refusal:
        validate_slug("A" * 1_000_000)
    assert len(str(refusal.value)) < 300
