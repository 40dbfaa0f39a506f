"""The site in a browser: windows that record every error of the browser's console."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, ViewportSize

from tests.browser import pages

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=360, height=740)

HTML = "text/html; charset=utf-8"

_LOG_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


def go_to(page: Page, path: str) -> None:
    """Go to a page; if the browser has marks, wait for them."""
    if any(cookie.get("name") == "marks" for cookie in page.context.cookies()):
        with page.expect_response("**/me/marks/**"):
            page.goto(path)
    else:
        page.goto(path)


@dataclass
class Site:
    """Opens windows on the site and goes to its pages."""

    browser: Browser
    address: str
    fault_pages: dict[str, str]
    contexts: list[BrowserContext] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def window(self, size: ViewportSize = DESKTOP, **options: Any) -> Page:
        """A new window in its own context: it shares no cookies or storage with others."""
        context = self.browser.new_context(viewport=size, base_url=self.address, **options)
        self.contexts.append(context)
        context.set_default_timeout(10_000)
        context.add_init_script(_LOG_VIOLATIONS)
        page = context.new_page()
        page.on("console", self._record)
        page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
        page.on("request", lambda request: self.requests.append(request))
        return page

    def open(self, page: Page, kind: str) -> None:
        """Go to the page of this kind, whether or not it has an address.

        Returns when the visitor's own marks have loaded too.
        """
        if kind in self.fault_pages:
            html = self.fault_pages[kind]
            page.route("**/fault/", lambda route: route.fulfill(body=html, content_type=HTML))
            page.goto("/fault/")
            page.unroute("**/fault/")
        else:
            go_to(page, (pages.ALL | {"admin login": "/admin/login/"})[kind])

    def close(self) -> None:
        """Close every window."""
        for context in self.contexts:
            context.close()

    def _record(self, message: ConsoleMessage) -> None:
        """Record an error of the console, unless it only repeats the page's own status."""
        place = message.location.get("url", "")
        page = message.page
        if message.type == "error" and not (
            page and place == page.url and "status of" in message.text
        ):
            self.faults.append(f"{place}: {message.text}")
