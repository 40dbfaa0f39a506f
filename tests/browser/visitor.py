"""A visitor in a browser: the forms of a page, and the votes and bookmarks in the database."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from django.db import connection
from django.utils import timezone
from playwright.sync_api import Locator, Page

from reviews.models import ToolTally, Voiding, Vote, VoteEvent
from shipskip.limits.models import ActCount, DailySalt
from tools.models import Bookmark, Tool

A, B = "cursor-background-agent", "smollm3"
NAME_A, NAME_B = "Cursor Background Agent", "SmolLM3"
T = TypeVar("T")


def from_database(query: Callable[[], T]) -> T:
    """Run a database query in a thread of its own, because this one runs an event loop."""
    results: list[T] = []

    def run() -> None:
        try:
            results.append(query())
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def votes() -> list[tuple[str, str]]:
    rows = Vote.objects.order_by("pk").values_list("tool__slug", "choice")
    return from_database(lambda: list(rows))


def events() -> list[tuple[str, str]]:
    """All changes of votes: before and after."""
    rows = VoteEvent.objects.order_by("pk").values_list("before", "after")
    return from_database(lambda: list(rows))


def saved() -> list[str]:
    rows = Bookmark.objects.order_by("pk").values_list("tool__slug", flat=True)
    return from_database(lambda: list(rows))


def delete_visitor_data() -> None:
    """Delete what visitors did, so that each test and each other file starts without it."""
    for model in (Vote, Voiding, VoteEvent, ToolTally, Bookmark, DailySalt, ActCount):
        model.objects.all().delete()


def make_votes() -> None:
    """A counted vote on each of the two tools, and no others: another file may have left some."""
    delete_visitor_data()
    now = timezone.now()
    for tool in Tool.objects.at_any([A, B]):
        Vote.objects.create(tool=tool, choice="ship", cast_at=now, changed_at=now)
        ToolTally.objects.update_or_create(tool=tool, defaults={"ship": 1, "skip": 0})


def form(page: Page, slug: str = A) -> Locator:
    return page.locator(f"form#vote-{slug}")


def button(page: Page, choice: str, slug: str = A) -> Locator:
    return page.locator(f"#vote-{slug}-{choice}")


def pressed(page: Page, slug: str = A) -> Locator:
    return form(page, slug).locator('[aria-pressed="true"]')


def mark_document(page: Page) -> None:
    """Mark this document, to check later whether it is still the same one."""
    page.evaluate("window.theSame = true")


def assert_same_document(page: Page) -> None:
    assert page.evaluate("window.theSame === true"), "the page was loaded again"
