"""A page sends few requests, and logs no error in use.

test_every_page.py looks what each kind of page stores and logs when it is opened.
"""

import re

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.site import Site


def test_the_same_pages_log_no_error_in_use(site: Site, light: Page):
    light.goto("/")
    with light.expect_response("**/compare/suggest/?tools=llama"):
        light.get_by_label("Compare", exact=True).press_sequentially("llama", delay=10)
    expect(light.get_by_role("option").first).to_contain_text(re.compile("llama", re.IGNORECASE))
    light.get_by_label("with", exact=True).fill("zzzz")
    light.get_by_role("button", name="Compare", exact=True).click()
    light.wait_for_url("**/compare/?tools=*")
    assert site.errors == []


def test_a_comparison_takes_at_most_five_requests_and_all_of_our_own(site: Site):
    light = site.new_window()
    site.record_requests(light)
    light.goto(pages.COMPARISON, wait_until="networkidle")
    urls = [request.url for request in site.requests]
    assert 1 < len(urls) <= 5
    assert [url for url in urls if not url.startswith(f"{site.address}/")] == []


def test_errors_in_the_console_would_be_recorded(site: Site, light: Page):
    light.goto("/")
    with light.expect_console_message(lambda message: "policy: img-src" in message.text):
        light.evaluate(
            "document.body.append(Object.assign(document.createElement('img'),"
            " { src: 'https://example.com/x.png' }))"
        )
    assert any("policy: img-src" in error for error in site.errors)
