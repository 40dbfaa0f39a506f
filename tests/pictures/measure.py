"""Count an editor's clicks and keys for three tasks: `python -m tests.pictures.measure`.

Clicks and key presses that lead there, characters of names and texts apart, which no screen can
save; and the seconds as run, the time of machine and network included.
"""

import time
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Locator, Page, sync_playwright

from tests.pictures.desk_site import ARGUMENTS, CHROMIUM, PASSWORD, TAKE, DeskSite, desk_site


class Editor:
    """A person at a window, whose acts are counted; `written` are the characters of texts."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.keys, self.written = page, 0, 0, 0

    def log_in(self, name: str) -> None:
        self.page.goto("/admin/")
        for text, key in ((name, "Tab"), (PASSWORD, "Enter")):
            self.page.keyboard.type(text)
            self.page.keyboard.press(key)
            self.written += len(text)
            self.keys += 1
        self.page.locator("#logout-form").wait_for()

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def write(self, field: str, text: str) -> None:
        self.page.locator(field).fill("")
        self.page.locator(field).press_sequentially(text)
        self.clicks += 1
        self.written += len(text)

    def save(self, button: Locator) -> None:
        self.click(button)
        self.page.locator(".messagelist .success").wait_for()

    def write_missing_take(self) -> None:
        """From the first page, where a missing one is chosen."""
        self.click(self.page.locator(".dashboard__gaps a", has_text="Founder").first)
        self.write("#id_score", "72")
        self.page.locator("#id_verdict").select_option("ship")
        self.clicks += 2
        self.write("#id_body", TAKE)


def published_take(editor: Editor) -> None:
    editor.write_missing_take()
    editor.save(editor.page.locator("[name=_publish]"))


def scheduled_take(editor: Editor) -> None:
    editor.write_missing_take()
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    editor.write("#id_published_at", f"{tomorrow:%Y-%m-%d} 09:00")
    editor.save(editor.page.locator("[name=_schedule]"))


def mailed_issue(editor: Editor) -> None:
    """The wait for its time is not counted."""
    page = editor.page
    editor.click(page.locator(".menu").get_by_role("link", name="Mail"))
    editor.click(page.get_by_role("button", name="Create the next issue now"))
    editor.write("#id_introduction", "Three small takes, one clear loser.")
    at = datetime.now(UTC).replace(second=0) + timedelta(minutes=1)
    editor.write("[name=moment]", f"{at:%Y-%m-%d %H:%M}")
    editor.save(page.get_by_role("button", name="Save and schedule"))


def send(site: DeskSite) -> None:
    """Wait until the issue is due, send it to the mail server, and check that it arrived."""
    time.sleep(60 - datetime.now(UTC).second + 1)
    site.send_newsletter()
    arrived = {recipient for recipient, _ in site.mails.accepted_mails}
    assert len(arrived) == 12, f"{len(arrived)} mails"


def main() -> None:
    """Do each task in a separate window, and print its clicks and keys."""
    print("| from the login to | clicks | keys | characters written | seconds |")
    print("|---|---|---|---|---|")
    with desk_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for task in (published_take, scheduled_take, mailed_issue):
            editor = Editor(browser.new_context(base_url=site.address).new_page())
            began = time.monotonic()
            editor.log_in("ana")
            task(editor)
            counts = f"{editor.clicks} | {editor.keys} | {editor.written}"
            print(f"| {task.__name__} | {counts} | {time.monotonic() - began:.1f} |")
        browser.close()
        send(site)


if __name__ == "__main__":
    main()
