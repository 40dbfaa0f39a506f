"""Pages as they will be, shown before they are public to whoever holds a signed link."""

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
Page = Callable[[HttpRequest, str], HttpResponse]
ENDED, DAMAGED = 410, 404


class PreviewError(Exception):
    """A link that shows nothing: it has ended, or is not one of ours."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Preview:
    """What the banner above a previewed page tells: its state, and until when the link holds.

    `row` is what the page is about, `needed` are the rows without which it stays hidden.
    """

    row: Publishable
    needed: Sequence[Publishable]
    until: datetime
    now: datetime

    @property
    def state(self) -> str:
        """The state of the row by its own moments."""
        return self.row.state(self.now)

    @property
    def moment(self) -> datetime | None:
        """Since when the row is withdrawn, or from when on it is public; None for a draft."""
        return self.row.withdrawn_at if self.state == "withdrawn" else self.row.published_at

    @property
    def waiting(self) -> list[tuple[Publishable, str]]:
        """What else has to be public for the page to be, with its state."""
        states = [(row, row.state(self.now)) for row in self.needed]
        return [(row, state) for row, state in states if state != "public"]

    @property
    def is_public(self) -> bool:
        """Whether readers can see the page today, without what is still to come on it."""
        return self.state == "public" and not self.waiting


def opened(kind: str, rows: QuerySet[R], token: str, now: datetime) -> tuple[R, datetime]:
    """The one of `rows` that a link of that kind shows at `now`, and until when it does.

    Raises PreviewError when it shows none.
    """
    found = preview_tokens.read(kind, token)
    if found is None:
        raise PreviewError(DAMAGED)
    row = rows.filter(pk=found.pk).first()
    if row is None or not found.opens(row.preview_key, now):
        raise PreviewError(ENDED)
    return row, found.until


def unlisted(view: Page) -> Page:
    """Mark a view whose page is kept by nobody and found by no search, and which shows nothing
    but a sentence when its link has ended.
    """

    @wraps(view)
    def answer(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = view(request, token)
        except PreviewError as fault:
            context = {"damaged": fault.status == DAMAGED}
            response = render(request, "errors/410.html", context, status=fault.status)
        response["Cache-Control"] = PRIVATE
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    # Nothing is written here, so a wrong method gets its 405 and not a lesson about tokens.
    return csrf_exempt(answer)
