"""An editor at the desk in a browser, who counts clicks and key presses."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page

EDITORS = {"ana": "Publishers", "ben": "Publishers", "wim": "Writers"}
"""The accounts at the desk, and the group of each."""

PASSWORD = "a-long-good-one"

TAKE = (
    "It reads the whole repository, writes a plan that a person can argue with, and stops when the "
    "tests are red. I let it loose on three real chores and kept two of the patches; the third was "
    "wrong in a way that the review caught within a minute."
)
"""A take that is long enough for no caution."""


@dataclass
class Editor:
    """A person at a window: each click and each press of a key counts.

    `written` are the characters of names and texts, which no screen can save.
    """

    page: Page
    clicks: int = 0
    keys: int = 0
    written: int = 0

    def click(self, target: Locator) -> None:
        """Click once."""
        target.click()
        self.clicks += 1

    def press(self, key: str) -> None:
        """Press a key, such as Enter."""
        self.page.keyboard.press(key)
        self.keys += 1

    def write(self, target: Locator, text: str) -> None:
        """Click into a field and type a text."""
        target.fill("")
        target.press_sequentially(text)
        self.clicks += 1
        self.written += len(text)

    def choose(self, target: Locator, option: str) -> None:
        """Open a select and take an option: two clicks."""
        target.select_option(option)
        self.clicks += 2

    def log_in(self, name: str) -> None:
        """Open the desk with the browser's field in focus, and log in."""
        self.page.goto("/admin/")
        self.page.keyboard.type(name)
        self.press("Tab")
        self.page.keyboard.type(PASSWORD)
        self.written += len(name) + len(PASSWORD)
        self.press("Enter")
        self.page.locator("#logout-form").wait_for()
