"""A released window has no data of one test in the next."""

from playwright.sync_api import expect

from tests.browser.site import PHONE, Site
from tests.browser.windows import Windows


def test_a_window_is_reused_without_data_of_the_last_test(
    windows: Windows, error_pages: dict[str, str]
):
    first, second = Site(windows, error_pages), Site(windows, error_pages)
    used = first.window(PHONE, color_scheme="dark", locale="de")
    used.goto("/")
    used.evaluate("document.cookie = 'left=1'; localStorage.left = 1; sessionStorage.left = 1")
    used.emulate_media(media="print")
    used.route("**/*", lambda route: route.abort())
    used.context.new_page()
    used.context.set_offline(True)
    first.close()
    page = second.window(locale="de")
    assert page is used
    assert page.context.pages == [page]
    assert page.context.cookies() == []
    page.goto("/")
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("localStorage.length") == 0
    assert "left" not in page.evaluate("Object.keys(sessionStorage)")
    assert page.evaluate("[innerWidth, matchMedia('print').matches]") == [1280, False]
    assert not page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.evaluate("console.error('later')")
    second.close()
    assert first.errors == []
    assert [error for error in second.errors if "later" in error]


def test_a_window_that_cannot_be_cleaned_is_closed(windows: Windows, error_pages: dict[str, str]):
    site = Site(windows, error_pages)
    page = site.window(locale="fr")
    page.close()
    site.close()
    assert site.window(locale="fr") is not page
    site.close()
