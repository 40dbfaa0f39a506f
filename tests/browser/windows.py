"""Windows of the browser that tests reuse; each is cleaned after use."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Dialog, Error, Page, ViewportSize

_LOG_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""

PATIENCE = 30_000
"""Milliseconds to wait for what must happen, also on a busy machine."""

SMALLEST = "/robots.txt"
"""The page of an unused window. For an empty page, which belongs to no site, the browser would
start another process for the next test.
"""


@dataclass
class Windows:
    """Windows by the options that only a new context can have.

    A new window is a new process that fetches every file again. One that was given back has no
    cookies, no storage, no routes and no second page; the files it fetched stay in its cache.
    """

    browser: Browser
    address: str
    idle: defaultdict[str, list[Page]] = field(default_factory=lambda: defaultdict(list))
    lent: dict[Page, str] = field(default_factory=dict)

    def acquire(self, size: ViewportSize, media: dict[str, Any], options: dict[str, Any]) -> Page:
        """A window of this size, with these media features and options of a context."""
        key = repr(sorted(options.items()))
        page = self.idle[key].pop() if self.idle[key] else self.new(size, options)
        self.lent[page] = key
        page.set_viewport_size(size)
        page.emulate_media(
            color_scheme=media.get("color_scheme", "light"),
            reduced_motion=media.get("reduced_motion", "no-preference"),
            forced_colors=media.get("forced_colors", "none"),
            media="null",
        )
        return page

    def new(self, size: ViewportSize, options: dict[str, Any]) -> Page:
        """A window that no test has used, in its own context.

        With the option `clock` its clock can be set forward; it stays so for the next test.
        """
        for_context = {name: value for name, value in options.items() if name != "clock"}
        context = self.browser.new_context(viewport=size, base_url=self.address, **for_context)
        if options.get("clock"):
            context.clock.install()
        context.set_default_timeout(PATIENCE)
        context.add_init_script(_LOG_VIOLATIONS)
        return context.new_page()

    def release(self, page: Page) -> None:
        """Clean the window for the next test; close one that is new or cannot be cleaned."""
        key = self.lent.pop(page, None)
        if key is not None:
            with suppress(Error):
                self._clean(page)
                self.idle[key].append(page)
                return
        page.context.close()

    def _clean(self, page: Page) -> None:
        """Remove all data of a test from the window. Raises Error if that is not possible."""
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


def _leave(dialog: Dialog) -> None:
    dialog.accept()
