"""The site in a browser: windows that tests reuse, and every error of the browser's console."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    Locator,
    Page,
    Request,
    ViewportSize,
)

from tests.browser import pages

DESKTOP = ViewportSize(width=1280, height=800)
TABLET = ViewportSize(width=768, height=1024)
PHONE = ViewportSize(width=360, height=740)

HTML = "text/html; charset=utf-8"
MEDIA = {"color_scheme": "light", "reduced_motion": "no-preference", "forced_colors": "none"}
"""Options that a window can change."""

PATIENCE = 30_000
"""Milliseconds to wait for what must happen, also on a busy machine."""

SMALLEST = "/robots.txt"
"""The page of an unused window. For an empty page, which belongs to no site, the browser would
start another process for the next test.
"""
LOG_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


def opened(page: Page, path: str = pages.COMPARISON) -> Page:
    """Go to a page; if the browser has marks, wait until the page shows them."""
    page.goto(path)
    if any(cookie.get("name") == "marks" for cookie in page.context.cookies()):
        page.locator("#drawer[data-saved]").wait_for(state="attached")
    return page


def follow(place: Locator) -> None:
    """Click a link or a button, and wait until the page that it leads to has loaded.

    A click alone may return while the old page is still shown, or before the new one has its styles
    and its scripts.
    """
    with place.page.expect_navigation():
        place.click()


def resize(page: Page, size: ViewportSize) -> None:
    """Give the window this size, unless it has it: the browser takes long to lay out a page."""
    if page.viewport_size != size:
        page.set_viewport_size(size)


def unfold(page: Page) -> None:
    page.locator("details.fold").evaluate_all("(all) => all.forEach((fold) => (fold.open = true))")


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
class Windows:
    """Windows by the options that only a new context can have.

    A new window is a new process that fetches every file again. One that was given back has no
    cookies, no storage, no routes and no second page; the files it fetched stay in its cache.
    """

    browser: Browser
    address: str
    idle: defaultdict[str, list[Page]] = field(default_factory=lambda: defaultdict(list))

    def new(self, size: ViewportSize, options: dict[str, Any]) -> Page:
        """A window that no test has used, in its own context.

        With the option `clock` its clock can be set forward; it stays so for the next test.
        """
        for_context = {name: value for name, value in options.items() if name != "clock"}
        context = self.browser.new_context(viewport=size, base_url=self.address, **for_context)
        if options.get("clock"):
            context.clock.install()
        context.set_default_timeout(PATIENCE)
        context.add_init_script(LOG_VIOLATIONS)
        return context.new_page()

    def release(self, page: Page, key: str) -> None:
        """Clean the window for the next test; close one that cannot be cleaned."""
        with suppress(Error):
            for other in page.context.pages:
                if other is not page:
                    other.close()
            page.unroute_all()
            page.context.set_offline(False)
            page.context.clear_cookies()
            page.on("dialog", _leave)  # the dialog of a page with unsaved text
            page.goto(SMALLEST)
            page.remove_listener("dialog", _leave)
            page.context.clear_cookies()  # again: the last answer to the test may have set one
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
            page.mouse.move(0, 0)
            self.idle[key].append(page)
            return
        page.context.close()


def _leave(dialog: Dialog) -> None:
    dialog.accept()


@dataclass
class Site:
    """Opens windows on the site and goes to its pages."""

    windows: Windows
    error_pages: dict[str, str]
    reusable: dict[Page, str] = field(default_factory=dict)
    new_pages: list[Page] = field(default_factory=list)
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
        media = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        key = repr(sorted(options.items()))
        idle = self.windows.idle[key]
        page = idle.pop() if idle else self.windows.new(size, options)
        self.reusable[page] = key
        resize(page, size)
        page.emulate_media(media="null", **media)
        return self._watch(page)

    def new_window(self, size: ViewportSize = DESKTOP, **options: Any) -> Page:
        """A window that no other test uses: for scripts that cannot be removed."""
        page = self.windows.new(size, options)
        self.new_pages.append(page)
        return self._watch(page)

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
            opened(page, (pages.ALL | {"admin login": "/admin/login/"})[kind])

    def close(self) -> None:
        """Release every window."""
        for page, key in self.reusable.items():
            page.remove_listener("console", self._record)
            page.remove_listener("pageerror", self._record_error)
            if page in self.recorded:
                page.remove_listener("request", self._record_request)
            self.windows.release(page, key)
        for page in self.new_pages:
            page.context.close()

    def _watch(self, page: Page) -> Page:
        """Record the errors of this window."""
        page.on("console", self._record)
        page.on("pageerror", self._record_error)
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
