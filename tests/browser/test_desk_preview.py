"""The preview beside a text at the desk looks as the page does."""

from typing import Literal

from playwright.sync_api import Locator, expect

from tests.browser.conftest import log_in
from tests.browser.site import Site, follow, unfold
from tests.browser.visitor import A, from_database
from tools.models import Tool

TEXT = """A paragraph with [a link](https://example.org/), **bold** and `code`.

- one
- two

1. first

## A heading

> A quotation

| a | b |
|---|---|
| 1 | 2 |
"""
PARTS = ("p", "a", "strong", "code", "ul", "ol", "li", ":is(h2, h3, h4)", "blockquote", "td", "th")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
STYLES = """element => {
  const style = getComputedStyle(element);
  return ["fontFamily", "fontSize", "fontWeight", "lineHeight", "color", "listStyleType",
    "textDecorationLine", "textDecorationColor", "marginBlock", "paddingInlineStart",
    "borderInlineStartWidth", "borderBottomWidth", "backgroundColor", "textTransform"]
    .map(name => `${name}: ${style[name]}`);
}"""


def computed_styles(prose: Locator, part: str) -> list[str]:
    """The computed styles of the first such element in a text."""
    found: list[str] = prose.locator(part).first.evaluate(STYLES)
    return found


def test_type_lists_and_links_of_a_preview_look_as_on_the_page(site: Site):
    page = site.window(reduced_motion="reduce")  # Django's colours change slowly
    before = from_database(lambda: Tool.objects.get(slug=A).description)
    log_in(page, "ana")
    page.goto(f"/admin/tools/tool/?q={A}")
    follow(page.get_by_role("link", name="Cursor Background Agent Hand off"))
    unfold(page)
    page.get_by_label("Description:").fill(TEXT)
    preview = page.locator(".field-description .markdown-field__preview")
    expect(preview.locator("blockquote")).to_be_visible()
    from_database(lambda: Tool.objects.filter(slug=A).update(description=TEXT))
    reader = site.window(reduced_motion="reduce")
    reader.goto(f"/tools/{A}/")
    colours = []
    for scheme in SCHEMES:
        for window in (page, reader):
            window.emulate_media(color_scheme=scheme)
        colours.append(
            computed_styles(reader.locator(".tool-page__text > .disclosure > .prose"), "p")
        )
        for part in PARTS:
            shown = computed_styles(reader.locator(".tool-page__text > .disclosure > .prose"), part)
            assert computed_styles(preview.locator(".site-styles"), part) == shown, (scheme, part)
    assert colours[0] != colours[1]
    from_database(lambda: Tool.objects.filter(slug=A).update(description=before))
