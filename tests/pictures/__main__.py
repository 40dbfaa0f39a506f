"""Take the pictures of the documents again: `python -m tests.pictures`.

It starts a site of its own, works at its desk in Chromium and writes `docs/pictures/*.webp`.
"""

import base64
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    ViewportSize,
    sync_playwright,
)

from tests.browser.site import follow, unfold
from tests.deploy.production_site import Server, prepared
from tests.pictures.data import PASSWORD
from tests.source_files import ROOT

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
FOLDER = ROOT / "docs" / "pictures"
MAX_PICTURE_BYTES = 60_000
WIDTH, HEIGHT = 1280, 800
TAKE = (
    "It reads the whole repository, writes a plan that a person can argue with, and stops when the "
    "tests are red. I let it loose on three real chores and kept two of the patches; the third was "
    "wrong in a way that the review caught within a minute."
)
"""A take that is long enough for no caution."""
TO_WEBP = """async ([bytes, quality]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${bytes}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""
PREVIEWS_SHOWN = """() => new Promise((done) => {
  const shown = () => [...document.querySelectorAll(".markdown-field")].every((part) =>
    !part.querySelector("textarea").value ||
    !part.querySelector(".markdown-field__count").textContent.startsWith("0 "));
  const look = () => (shown() ? done(true) : setTimeout(look, 20));
  look();
})"""
"""Answers once each text has its preview beside it."""


@dataclass
class Camera:
    """A browser on the site, and the folder of the pictures."""

    browser: Browser
    address: str
    folder: Path
    contexts: dict[str, BrowserContext] = field(default_factory=dict)
    """By the editor's name; a reader's is empty."""

    def window(self, name: str = "") -> Page:
        """A new window: of a reader, or on the desk's first page of the editor of this name."""
        if name not in self.contexts:
            context = self.browser.new_context(
                viewport=ViewportSize(width=WIDTH, height=HEIGHT),
                base_url=self.address,
                color_scheme="light",
                reduced_motion="reduce",
            )
            self.contexts[name] = context
            if name:
                page = context.new_page()
                page.goto("/admin/")
                page.locator("#id_username").fill(name)
                page.locator("#id_password").fill(PASSWORD)
                page.keyboard.press("Enter")
                page.locator("#logout-form").wait_for()
        page = self.contexts[name].new_page()
        page.goto("/admin/" if name else "/")
        return page

    def take(self, name: str, page: Page, height: int = HEIGHT, top: Locator | None = None) -> None:
        """Write a picture of a page, `height` pixels high; from the top of an element if one is
        given.
        """
        left = 0
        if top:
            top.evaluate("node => scrollBy(0, node.getBoundingClientRect().top - 16)")
            left = int(top.evaluate("node => node.getBoundingClientRect().left")) - 16
        page.evaluate(PREVIEWS_SHOWN)
        area = {"x": left, "y": 0, "width": WIDTH - left, "height": height}
        png = page.screenshot(clip=area)  # type: ignore[arg-type]
        blank = self.browser.new_page()
        arguments = [base64.b64encode(png).decode(), 0.65]
        webp = base64.b64decode(blank.evaluate(TO_WEBP, arguments))
        blank.close()
        assert len(webp) <= MAX_PICTURE_BYTES, f"{name}: {len(webp)} bytes"
        (self.folder / f"{name}.webp").write_bytes(webp)


def open_tool(page: Page, query: str) -> None:
    page.goto(f"/admin/tools/tool/?q={query}")
    follow(page.locator("#result_list tbody th a").first)


def comparison(camera: Camera) -> None:
    """What a reader sees, for the README."""
    page = camera.window()
    page.goto("/compare/cursor-background-agent-vs-smollm3/")
    camera.take("comparison", page)


def first_page(camera: Camera) -> None:
    """The desk's first page."""
    camera.take("first-page", camera.window("ana"))


def take(camera: Camera) -> None:
    """A take while it is written, and the message after it is published."""
    page = camera.window("ana")
    page.locator(".dashboard__gaps a", has_text="Founder").last.click()
    page.locator("#id_score").fill("72")
    page.locator("#id_verdict").select_option("ship")
    page.locator("#id_body").press_sequentially(TAKE)
    camera.take("take", page)
    page.locator("[name=_publish]").click()
    page.locator(".messagelist").wait_for()
    camera.take("published", page, 320)


def reason(camera: Camera) -> None:
    """A public score that changes without a reason."""
    page = camera.window("ana")
    open_tool(page, "smollm3")
    unfold(page)
    page.locator("#take-skeptic [name$=-score]").fill("31")
    page.locator("[name=_save]").click()
    page.locator(".errorlist").first.wait_for()
    camera.take("reason", page, 240, page.locator("#take-skeptic .take__field--reason"))


def new_comparison(camera: Camera) -> None:
    """A comparison with its summary and preview."""
    page = camera.window("ana")
    open_tool(page, "vllm")
    page.get_by_role("link", name="Create a comparison").click()
    page.locator(".field-tool_list .select2-selection").nth(1).click()
    page.locator(".select2-search__field").fill("llama.cpp")
    page.locator(".select2-results__option", has_text="llama.cpp").first.click()
    words = "Take **vLLM** for many users on one card, **llama.cpp** for one user on any machine."
    page.locator("#id_summary").press_sequentially(words)
    camera.take("new-comparison", page)


def issue(camera: Camera) -> None:
    """The weekly issue, before it is scheduled."""
    page = camera.window("ana")
    page.goto("/admin/newsletter/issue/")
    page.get_by_role("button", name="Create the next issue now").click()
    page.locator("#id_introduction").press_sequentially("Three small takes, one clear loser.")
    camera.take("issue", page, 900, page.locator("#entries-group"))


def conflict(camera: Camera) -> None:
    """Two editors who save the same take."""
    ana, ben = camera.window("ana"), camera.window("ben")
    for page, words in ((ben, f"Ben: {TAKE}"), (ana, f"Ana: {TAKE}")):
        open_tool(page, "zed")
        unfold(page)
        page.locator("#take-builder [name$=-score]").fill("70")
        page.locator("#take-builder [name$=-verdict]").select_option("ship")
        page.locator("#take-builder textarea").fill(words)
    for page in (ben, ana):
        page.locator("[name=_continue]").last.click()
        page.locator(".messagelist, .errornote").first.wait_for()
    camera.take("conflict", ana, 700, ana.locator("#take-builder"))


def history(camera: Camera) -> None:
    """What was saved before, word by word."""
    page = camera.window("ana")
    open_tool(page, "zed")
    unfold(page)
    page.locator("#take-builder textarea").fill(TAKE.replace("three real chores", "four chores"))
    page.locator("[name=_continue]").last.click()
    page.locator(".messagelist").wait_for()
    page.locator("#take-builder").get_by_role("link", name="History").click()
    camera.take("history", page, 520)


PICTURES: list[Callable[[Camera], None]]
PICTURES = [comparison, first_page, take, reason, new_comparison, issue, conflict, history]


def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        mail = {"EMAIL_URL": "smtp://127.0.0.1:25", "VOTES_PER_NETWORK_PER_DAY": "20"}
        env = prepared(f"sqlite:///{folder}/db.sqlite3", **mail)
        subprocess.run([sys.executable, "-m", "tests.pictures.data"], env=env, cwd=ROOT, check=True)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with Server(env, Path(folder)) as server:
            camera = Camera(browser, f"http://127.0.0.1:{server.port}", FOLDER)
            for each in PICTURES:
                each(camera)
        browser.close()


if __name__ == "__main__":
    main()
