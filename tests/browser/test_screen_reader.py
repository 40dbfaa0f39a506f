"""What a screen reader reads on the comparison page, in which order."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.site import DESKTOP, PHONE, Site

NAMES = ("Cursor Background Agent", "SmolLM3")


def screen_reader_text(part: Locator) -> str:
    """What a screen reader reads of a part of the page: its ARIA snapshot without roles."""
    lines = part.aria_snapshot().splitlines()
    texts = (re.sub(r'^\s*- (?:\w+(?: "[^"]*")?(?: \[[^]]*])?:? ?)?', "", line) for line in lines)
    return re.sub(r"\s+", " ", " ".join(line.strip("'\"") for line in texts))


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_reviewers_row_reads_score_score_take_take_each_with_its_tool(
    shared_site: Site, window: Page, size: Any
):
    window.set_viewport_size(size)
    shared_site.open(window, "comparison")
    row = window.get_by_role("region", name="Builder", exact=True)
    first, second = NAMES
    openings = [
        (take.text_content() or "").strip() for take in row.locator(".scorecard__on + p time").all()
    ]
    order = (
        rf"{first}: \d+/100 · (ship|skip).*{second}: \d+/100 · (ship|skip)"
        rf".*{first} {re.escape(openings[0])}.*{second} {re.escape(openings[1])}"
    )
    assert re.search(order, screen_reader_text(row))


def test_a_missing_take_is_read_with_the_name_of_the_tool(shared_site: Site, window: Page):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison of hard names")
    row = window.get_by_role("region", name="Builder", exact=True)
    assert re.search("שלום: No panel take", screen_reader_text(row))


def test_the_decision_is_a_table_with_headers_for_rows_and_tools(shared_site: Site, window: Page):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison")
    table = window.get_by_role("table", name="The facts that decide")
    for name in NAMES:
        expect(table.get_by_role("columnheader", name=name, exact=True)).to_have_count(1)
    for fact in ("Panel verdict", "Community", "Pricing", "Best for", "Category"):
        expect(table.get_by_role("rowheader", name=fact, exact=True)).to_have_count(1)
    table.locator("tbody tr").nth(3).evaluate("(row) => scrollBy(0, row.getBoundingClientRect().y)")
    names = table.get_by_role("columnheader", name=NAMES[0], exact=True)
    expect(names).to_be_in_viewport(ratio=1)
    assert (names.bounding_box() or {"y": -1})["y"] == 0
    link = names.get_by_role("link", name=f"Change {NAMES[0]}", exact=True)
    assert (link.bounding_box() or {"height": 0})["height"] >= 24


def test_namesakes_are_distinguished_wherever_they_are_named(shared_site: Site, window: Page):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison of namesakes")
    snapshot = window.locator("main").aria_snapshot()
    labels = ("7B to 200B", "agentic")
    for role in ("columnheader", "group", "button"):
        names = re.findall(rf'{role} "((?:Your vote on |Save )?Code Llama 4[^"]*)"', snapshot)
        distinct = [name for name in names if any(label in name for label in labels)]
        assert len(set(distinct)) >= 2, (role, names)
    heading = window.get_by_role("heading", level=1).text_content() or ""
    assert all(label in heading for label in labels)


@pytest.mark.parametrize("kind", ["home", "comparison", "tool", "reviewer", "tools", "picker"])
def test_a_page_has_its_landmarks_and_one_heading_of_the_first_level(
    shared_site: Site, window: Page, kind: str
):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, kind)
    for role in ("banner", "main", "contentinfo"):
        expect(window.get_by_role(role)).to_have_count(1)
    expect(window.get_by_role("navigation", name="Main")).to_have_count(1)
    expect(window.get_by_role("heading", level=1)).to_have_count(1)
