"""What a page asks of the network and leaves in the browser: little, and nothing."""

from playwright.sync_api import Page, Response

from tests.browser import pages
from tests.browser.site import Site


def test_no_public_page_sets_a_cookie_or_keeps_anything_or_complains(site: Site, light: Page):
    cookies = {}

    def note(response: Response) -> None:
        if "/me/" not in response.url:
            cookies[response.url] = response.headers.get("set-cookie")

    light.on("response", note)
    for kind in pages.OPEN | pages.CLOSED:
        site.open(light, kind)
    assert site.faults == []
    assert set(cookies.values()) == {None}
    # What a form needs to be sent comes from /me/; the visitor's own id only with a first act.
    assert {cookie.get("name") for cookie in light.context.cookies()} <= {"csrftoken"}
    assert light.evaluate("localStorage.length") == 0
    # HTMX notes the path in view there; the browser forgets it with the window.
    assert light.evaluate("Object.keys(sessionStorage)") == ["htmx-current-path-for-history"]


def test_the_same_pages_complain_of_nothing_in_use(site: Site, light: Page):
    light.goto("/")
    light.get_by_label("Compare", exact=True).press_sequentially("llama", delay=10)
    light.wait_for_timeout(400)
    light.get_by_label("with", exact=True).fill("zzzz")
    light.get_by_role("button", name="Compare").click()
    light.wait_for_url("**/compare/?tools=*")
    assert site.faults == []


def test_a_comparison_takes_at_most_six_requests_and_all_of_our_own(site: Site, light: Page):
    light.goto(pages.COMPARISON, wait_until="networkidle")
    urls = [request.url for request in site.requests]
    assert 1 < len(urls) <= 6
    assert [url for url in urls if not url.startswith(f"{site.address}/")] == []


def test_faults_in_the_console_would_be_noted(site: Site, light: Page):
    light.goto("/")
    light.evaluate(
        "document.body.append(Object.assign(document.createElement('img'),"
        " { src: 'https://example.com/x.png' }))"
    )
    light.wait_for_timeout(100)
    assert any("policy: img-src" in fault for fault in site.faults)
