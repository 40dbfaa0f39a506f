"""Previews: pages shown before they are public, to readers with a signed link."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from shipskip.web import preview_tokens
from shipskip.web.cache_control import PRIVATE
from shipskip.web.publishing import Previewable, Publishable

R = TypeVar("R", bound=Previewable)
PreviewView = Callable[[HttpRequest, str], HttpResponse]
EXPIRED, DAMAGED = 410, 404


class PreviewError(Exception):
    """A preview link that has expired or is damaged; `status` is the HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Preview:
    """The data of the banner above a preview: the state of the row, and when the link expires.

    `row` is the subject of the page; the rows in `required_rows` must be public before the page is.
    Without a link (`until` is None) the preview shows a text that is not saved.
    """

    row: Publishable
    required_rows: Sequence[Publishable]
    until: datetime | None
    now: datetime

    @property
    def state(self) -> str:
        """The state of the row by its own moments."""
        return self.row.state(self.now)

    @property
    def moment(self) -> datetime | None:
        """When the row was withdrawn, or when it is public from; None for a draft."""
        return self.row.withdrawn_at if self.state == "withdrawn" else self.row.published_at

    @property
    def words(self) -> str:
        """What is previewed, without the moment and the full stop."""
        if not self.until:
            return "Preview of your text: nothing of it is saved"
        if self.state == "public":
            changes = "Preview of scheduled changes to a public page"
            return changes if self.is_public else "Preview: published, but not visible yet"
        return {
            "draft": "Preview of a draft",
            "scheduled": "Preview: public from",
            "withdrawn": "Preview: withdrawn since",
        }[self.state]

    @property
    def from_moment(self) -> datetime | None:
        """The moment that ends `words`; None if they end without one."""
        return self.moment if self.until and self.state in ("scheduled", "withdrawn") else None

    @property
    def waiting(self) -> list[tuple[Publishable, str]]:
        """The required rows that are not public yet, each with its state."""
        states = [(row, row.state(self.now)) for row in self.required_rows]
        return [(row, state) for row, state in states if state != "public"]

    @property
    def is_public(self) -> bool:
        """Whether readers can see the page today, without its scheduled parts."""
        return self.state == "public" and not self.waiting


def open_preview(kind: str, rows: QuerySet[R], token: str, now: datetime) -> tuple[R, datetime]:
    """Return the row that a link of that kind shows at `now`, and when the link expires.

    Raises PreviewError when the link has expired or is damaged.
    """
    found = preview_tokens.read(kind, token)
    if found is None:
        raise PreviewError(DAMAGED)
    row = rows.filter(pk=found.pk).first()
    if row is None or not found.is_valid(row.preview_key, now):
        raise PreviewError(EXPIRED)
    return row, found.until


def preview_page(view: PreviewView) -> PreviewView:
    """Mark a view of previews: its pages are not cached and not indexed, and an expired or damaged
    link gets an error page.
    """

    @wraps(view)
    def answer(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = view(request, token)
        except PreviewError as error:
            context = {"damaged": error.status == DAMAGED}
            response = render(request, "errors/410.html", context, status=error.status)
        response["Cache-Control"] = PRIVATE
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    # The view writes nothing: a POST gets a 405, not an error about a missing CSRF token.
    return csrf_exempt(answer)
