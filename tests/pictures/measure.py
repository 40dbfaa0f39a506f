"""Count an editor's clicks and keys for three tasks: `python -m tests.pictures.measure`.

Clicks and key presses that lead there, characters of names and texts apart, which no screen can
save; and the seconds as run, the time of machine and network included.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, sync_playwright

from tests.pictures.desk_site import ARGUMENTS, CHROMIUM, DeskSite, desk_site
from tests.pictures.editors import TAKE, Editor


def write_missing_take(editor: Editor) -> None:
    """From the first page to a take that is written: a missing one is chosen there."""
    page = editor.page
    editor.click(page.locator(".dashboard__gaps a", has_text="Founder").first)
    editor.write(page.locator("#id_score"), "72")
    editor.choose(page.locator("#id_verdict"), "ship")
    editor.write(page.locator("#id_body"), TAKE)


def published_take(editor: Editor, site: DeskSite) -> None:
    """A take that readers see."""
    write_missing_take(editor)
    editor.click(editor.page.locator("[name=_publish]"))
    editor.page.locator(".messagelist .success").wait_for()


def scheduled_take(editor: Editor, site: DeskSite) -> None:
    """A take that readers see from tomorrow at nine."""
    write_missing_take(editor)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    editor.write(editor.page.locator("#id_published_at"), f"{tomorrow:%Y-%m-%d} 09:00")
    editor.click(editor.page.locator("[name=_schedule]"))
    editor.page.locator(".messagelist .success").wait_for()


def mailed_issue(editor: Editor, site: DeskSite) -> None:
    """Mail an issue to twelve subscribers; the wait for its time is not counted."""
    page = editor.page
    editor.click(page.locator(".menu").get_by_role("link", name="Mail"))
    editor.click(page.get_by_role("button", name="Create the next issue now"))
    editor.write(page.locator("#id_introduction"), "Three small takes, one clear loser.")
    at = datetime.now(UTC).replace(second=0) + timedelta(minutes=1)
    editor.write(page.locator("[name=moment]"), f"{at:%Y-%m-%d %H:%M}")
    editor.click(page.get_by_role("button", name="Save and schedule"))
    page.locator(".messagelist .success").wait_for()


WAYS: dict[str, Callable[[Editor, DeskSite], None]] = {
    "a published take": published_take,
    "a scheduled take": scheduled_take,
    "a mailed issue": mailed_issue,
}


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
        for aim, way in WAYS.items():
            page: Page = browser.new_context(base_url=site.address).new_page()
            editor = Editor(page)
            began = time.monotonic()
            editor.log_in("ana")
            way(editor, site)
            seconds = time.monotonic() - began
            counts = f"{editor.clicks} | {editor.keys} | {editor.written}"
            print(f"| {aim} | {counts} | {seconds:.1f} |")
        browser.close()
        send(site)


if __name__ == "__main__":
    main()
