"""The grid of facts by keyboard and with a block from a spreadsheet."""

import re
from collections.abc import Iterator
from decimal import Decimal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, PHONE, Site, follow
from tests.browser.visitor import from_database
from tools.fact_values import AttributeKind
from tools.models import Attribute, Category, Fact, Tool

SLUGS = ["grid-one", "grid-two", "grid-three"]
PATH = "/admin/facts/grid/"
QUESTIONS: list[tuple[str, str, list[str]]] = [
    ("Size", AttributeKind.NUMBER, []),
    ("Licence", AttributeKind.CHOICE, ["Apache 2.0", "MIT"]),
    ("Open", AttributeKind.YES_NO, []),
    ("Words", AttributeKind.TEXT, []),
    ("Inputs", AttributeKind.CHOICES, ["Text", "Images"]),
]
IS_UNCOVERED = """(element) => {
  const box = element.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return element.contains(top);
}"""


@pytest.fixture
def page(site: Site) -> Iterator[Page]:
    from_database(_make_rows)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto(PATH)
    yield page
    from_database(_delete_rows)
    assert site.errors == []


def _make_rows() -> None:
    category = make.category(slug="grid", name="Grid")
    # The sample's questions for every tool are asked only in other categories in these tests.
    other_categories = Category.objects.exclude(pk=category.pk).values_list("pk", flat=True)
    Attribute.objects.filter(category_ids=[]).update(category_ids=list(other_categories))
    tools = [
        make.tool(slug=slug, name=f"Tool {at}", in_category=category, published_at=None)
        for at, slug in enumerate(SLUGS, 1)
    ]
    for position, (name, kind, choices) in enumerate(QUESTIONS, 1):
        asked = {"kind": kind, "choices": choices, "asked_in": [category], "position": position}
        make.attribute(slug=f"grid-{name.lower()}", name=name, **asked)
    make.fact(Decimal(7), on=tools[0], to=Attribute.objects.get(slug="grid-size"))


def _delete_rows() -> None:
    Fact.objects.filter(tool__slug__in=SLUGS).delete()
    Attribute.objects.filter(slug__startswith="grid-").delete()
    Tool.everything.filter(slug__in=SLUGS).delete()
    Category.objects.filter(slug="grid").delete()
    everywhere = list(Category.objects.values_list("pk", flat=True))
    Attribute.objects.filter(category_ids=everywhere).update(category_ids=[])


def cell(page: Page, name: str, tool: int) -> Locator:
    return page.get_by_role("combobox", name=f"{name}: Tool {tool}")


def stored() -> list[tuple[str, str, str]]:
    facts = Fact.objects.filter(tool__slug__in=SLUGS).select_related("tool", "attribute")
    rows = ((fact.tool.name, fact.attribute.name, fact.words) for fact in facts)
    return sorted(rows)


def paste(into: Locator, text: str) -> None:
    into.focus()
    into.evaluate(
        """(input, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const options = { clipboardData, bubbles: true, cancelable: true };
          input.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def save(page: Page) -> None:
    follow(page.get_by_role("button", name="Save", exact=True))


def test_nine_cells_are_filled_by_keyboard_alone(page: Page):
    page.get_by_label("Source of what you save now").fill("https://acme.example/docs")
    cell(page, "Size", 1).focus()
    page.keyboard.press("Control+a")
    for text in ("10", "20", "30"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(cell(page, "Size", 3)).to_be_focused()
    page.keyboard.press("Tab")
    for text in ("a", "m"):  # the beginning of one choice is enough
        page.keyboard.type(text)
        page.keyboard.press("ArrowUp")
    expect(cell(page, "Licence", 1)).to_be_focused()
    page.keyboard.type("n/a")
    page.keyboard.press("ArrowRight")
    for text in ("y", "no", "not"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    save(page)
    expect(page.get_by_text("9 answers saved.")).to_be_visible()
    assert from_database(stored) == [
        ("Tool 1", "Licence", "Does not apply"),
        ("Tool 1", "Open", "Yes"),
        ("Tool 1", "Size", "10"),
        ("Tool 2", "Licence", "MIT"),
        ("Tool 2", "Open", "No"),
        ("Tool 2", "Size", "20"),
        ("Tool 3", "Licence", "Apache 2.0"),
        ("Tool 3", "Open", "Not stated"),
        ("Tool 3", "Size", "30"),
    ]
    button = page.locator(".fact-grid__save [type=submit]")
    expect(button).to_have_value("Save")
    from_database(lambda: Tool.objects.filter(slug=SLUGS[0]).update(published_at=make.PUBLISHED))
    page.reload()
    expect(button).to_have_value("Save and publish the changes")


def test_what_is_typed_is_completed_confirmed_or_taken_back(page: Page):
    words, size = page.get_by_role("textbox", name="Words: Tool 1"), cell(page, "Size", 1)
    words.focus()
    page.keyboard.type("No")  # a text stays as typed
    page.keyboard.press("Tab")
    page.keyboard.type("im; te")
    page.keyboard.press("Enter")
    expect(words).to_have_value("No")
    expect(cell(page, "Inputs", 1)).to_have_value("Images; Text")
    page.keyboard.type("te")
    page.keyboard.press("Enter")
    expect(cell(page, "Inputs", 2)).to_have_value("Text")
    size.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("99")
    page.keyboard.press("Escape")
    expect(size).to_have_value("7")
    page.keyboard.press("Control+Enter")  # the answer is still right
    expect(cell(page, "Size", 2)).to_be_focused()
    save(page)
    expect(page.get_by_text("4 answers saved.")).to_be_visible()
    fact = from_database(lambda: Fact.objects.get(tool__slug=SLUGS[0], attribute__slug="grid-size"))
    assert fact.checked_on is not None


def test_a_pasted_block_fills_right_and_down_can_be_undone_and_names_stay_in_sight(page: Page):
    first, second = cell(page, "Size", 1), cell(page, "Size", 2)
    paste(first, "1,000\n2,000\n")
    expect(page.get_by_text("2 cells pasted. 1 of them replaced another answer.")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("The paste is undone in 2 cells.")).to_be_visible()
    expect(first).to_have_value("7")
    expect(second).to_have_value("")
    page.keyboard.press("Escape")
    expect(first).to_have_value("7")
    paste(second, "1000\tMIT\tYES\nmany\tApache 2.0\tno\t\t\tmore\n")
    expect(page.get_by_text("8 cells pasted. 1 did not fit into the grid")).to_be_visible()
    save(page)
    expect(page.get_by_text("5 answers saved.")).to_be_visible()
    faulty = cell(page, "Size", 3)
    expect(faulty).to_have_value("many")
    expect(faulty).to_be_focused()
    expect(faulty).to_have_accessible_description(re.compile("“many” is no number"))
    page.keyboard.press("Control+a")
    page.keyboard.type("3")
    save(page)
    expect(page.get_by_text("1 answer saved.")).to_be_visible()
    assert ("Tool 2", "Size", "1000") in from_database(stored)
    assert len(from_database(stored)) == 7
    page.set_viewport_size(PHONE)
    region = page.get_by_role("region", name="Tools by attributes")
    region.evaluate("(element) => { element.style.maxHeight = '14rem'; }")
    region.evaluate("(element) => element.scrollIntoView({ block: 'start' })")
    region.evaluate("(element) => element.scrollTo(9999, 9999)")
    assert min(region.evaluate("({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]")) > 0
    for role, name in (("link", "Tool 3"), ("columnheader", "Tool"), ("link", "Inputs")):
        assert region.get_by_role(role, name=name, exact=True).evaluate(IS_UNCOVERED), name
