"""The title of a comparison page has at most 70 characters."""

import pytest

from comparisons.titles import page_title

TITLES = {
    ("Alpha", "Beta"): "Alpha vs Beta: Which AI Tool Should You Ship?",
    (
        "Cursor Background Agent",
        "Cline",
    ): "Cursor Background Agent vs Cline: Which AI Tool Should You Ship?",
    (
        "Cursor Background Agent",
        "SmolLM3 Instruct Edition",
    ): "Cursor Backgroun… vs SmolLM3 Instruct…: Which AI Tool Should You Ship?",
    (
        "Aider",
        "Cline",
        "Cursor",
        "Codex",
        "Zed",
    ): "Aider vs Cline vs Cursor and 2 more: Which AI Tool Should You Ship?",
    ("Twin tool of one long name (one)", "Twin tool of one long name (two)"): (
        "Twin tool of one long name (one) vs Twin tool of one long name (two)"
    ),
}


@pytest.mark.parametrize(("names", "title"), TITLES.items())
def test_long_names_are_shortened_and_many_counted(names, title):
    assert page_title(names) == title
    assert len(title) <= 70


def test_ten_long_names_fit():
    title = page_title([f"{n} {'long ' * 20}" for n in range(10)])
    assert title == "0 long lon… vs 1 long lon… and 8 more: Which AI Tool Should You Ship?"
