"""The site in a browser: windows that record every error of the browser's console."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import ConsoleMessage, Error, Locator, Page, Request, ViewportSize

from tests.browser import pages
from tests.browser.windows import Windows

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=360, height=740)

HTML = "text/html; charset=utf-8"
MEDIA = ("color_scheme", "reduced_motion", "forced_colors")
"""Options that a window can change."""


def go_to(page: Page, path: str) -> None:
    """Go to a page; if the browser has marks, wait until the page shows them."""
    page.goto(path)
    if any(cookie.get("name") == "marks" for cookie in page.context.cookies()):
        page.locator("#drawer[data-saved]").wait_for(state="attached")


def follow(place: Locator) -> None:
    """Click a link or a button, and wait until the page that it leads to has loaded.

    A click alone may return while the old page is still shown, or before the new one has its styles
    and its scripts.
    """
    with place.page.expect_navigation():
        place.click()


def unfold(page: Page) -> None:
    """Open every folded part of a form of the desk."""
    folded = page.locator("details.fold:not([open]) > summary")
    while folded.count():
        folded.first.click()


def submit(field: Locator) -> None:
    """Press Enter in a field, and wait until the next page has loaded."""
    with field.page.expect_navigation():
        field.press("Enter")


def next_frame(page: Page) -> None:
    """Wait until the page is drawn again, so that its scripts know what has scrolled or moved.

    Where timers are paused, no frame comes.
    """
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>"
        " setTimeout(done))))"
    )


def pause_timers(page: Page) -> None:
    """Stop the clock of a window that has the option `clock`, in its next pages too."""
    page.clock.pause_at(page.evaluate("Date.now() / 1_000") + 3_600)


def run_timers(page: Page, milliseconds: int) -> None:
    """Run what the page's timers do in this time; what they send is then in `Site.requests`."""
    page.clock.run_for(milliseconds)


@dataclass
class Site:
    """Opens windows on the site and goes to its pages."""

    windows: Windows
    error_pages: dict[str, str]
    open_pages: list[Page] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    recorded: list[Page] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The URL of the site."""
        return self.windows.address

    def window(self, size: ViewportSize = DESKTOP, **options: Any) -> Page:
        """A separate window, which shares no cookies or storage with others.

        Files that another test fetched are in its cache.
        """
        media = {name: options.pop(name) for name in MEDIA if name in options}
        return self._watch(self.windows.acquire(size, media, options))

    def new_window(self, size: ViewportSize = DESKTOP, **options: Any) -> Page:
        """A window that no other test uses: for scripts that cannot be removed."""
        return self._watch(self.windows.new(size, options))

    def record_requests(self, page: Page) -> None:
        """Record the window's requests from now on."""
        page.on("request", self._record_request)
        self.recorded.append(page)

    def open(self, page: Page, kind: str) -> None:
        """Go to the page of this kind; some kinds have no URL.

        Returns when the visitor's own marks have loaded too.
        """
        if kind in self.error_pages:
            html = self.error_pages[kind]
            page.route("**/error-page/", lambda route: route.fulfill(body=html, content_type=HTML))
            page.goto("/error-page/")
            page.unroute("**/error-page/")
        else:
            go_to(page, (pages.ALL | {"admin login": "/admin/login/"})[kind])

    def close(self) -> None:
        """Release every window."""
        for page in self.open_pages:
            page.remove_listener("console", self._record)
            page.remove_listener("pageerror", self._record_error)
            if page in self.recorded:
                page.remove_listener("request", self._record_request)
            self.windows.release(page)

    def _watch(self, page: Page) -> Page:
        """Record the errors of this window."""
        page.on("console", self._record)
        page.on("pageerror", self._record_error)
        self.open_pages.append(page)
        return page

    def _record_request(self, request: Request) -> None:
        self.requests.append(request)

    def _record_error(self, error: Error) -> None:
        """Record an error that a script did not catch."""
        self.errors.append(f"{error.stack or error}")

    def _record(self, message: ConsoleMessage) -> None:
        """Record an error of the console, unless it only repeats the page's own status."""
        place = message.location.get("url", "")
        page = message.page
        if message.type == "error" and not (
            page and place == page.url and "status of" in message.text
        ):
            self.errors.append(f"{place}: {message.text}")
