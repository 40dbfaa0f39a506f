"""Takes and descriptions are whole from 768 px on; on a phone they unfold in one paragraph."""

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.site import DESKTOP, PHONE, Site

TABLET = ViewportSize(width=768, height=1024)
DESCRIPTION = ".tool-page__text > .disclosure"
SEEN = "element => element.checkVisibility({ contentVisibilityAuto: true })"
TAKE = ".take .disclosure--because"


def test_nothing_is_folded_from_768_px_on_and_the_keyboard_passes_the_sentence(
    shared_site: Site, window: Page
):
    for size in (TABLET, DESKTOP):
        window.set_viewport_size(size)
        shared_site.open(window, "tool")
        for text in (DESCRIPTION, TAKE):
            disclosure = window.locator(text).first
            expect(disclosure.locator(".disclosure__lead")).to_be_visible()
            assert disclosure.locator(".prose > p").first.evaluate(SEEN)
            disclosure.locator("summary").evaluate("summary => summary.focus()")
            assert window.evaluate("document.activeElement === document.body")


def test_on_a_phone_the_rest_unfolds_and_goes_on_in_the_paragraph(shared_site: Site, window: Page):
    window.set_viewport_size(PHONE)
    shared_site.open(window, "tool")
    disclosure = window.locator(DESCRIPTION)
    rest = disclosure.locator(".prose > p").first
    assert not rest.evaluate(SEEN)
    disclosure.locator("summary").click()
    lead_ends = disclosure.locator(".disclosure__lead").evaluate(
        "lead => [...lead.getClientRects()].at(-1).bottom"
    )
    rest_begins = rest.evaluate("p => p.getClientRects()[0].bottom")
    assert abs(lead_ends - rest_begins) < 2
