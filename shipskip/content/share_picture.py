"""What the picture of a page shows that cards of shared links have, and its address.

The address holds a hash of all that the picture shows, so it changes with it; programs/pictures
draws it.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse

from comparisons.answer import answer
from comparisons.models import tools_key
from reviews.reviewer_profile import stats_of
from reviews.scoring import Verdict
from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Reviewer, Tool
from shipskip.content.side_by_side import contenders

DRAWING = 1
"""Raised when the drawing changes, so that programs fetch the pictures again."""


@dataclass(frozen=True)
class PictureRow:
    """A tool, or a reviewer without a verdict. `slug` stands for a name that our fonts lack."""

    name: str
    slug: str
    verdict: Verdict | None
    figures: str
    """`4 of 5 ship`."""
    score: str
    """The mean score; empty without takes."""
    marks: Sequence[tuple[int, str]] = ()
    """The score and verdict of each take."""


@dataclass(frozen=True)
class SharePicture:
    """A picture; `path` is that of its address without the hash."""

    path: str
    rows: Sequence[PictureRow]
    text: str
    """The answer, a tagline or a motto."""
    date: str
    """`Judged June 2026`; empty without takes."""

    @property
    def key(self) -> str:
        """A hash of all that the picture shows."""
        shown = repr((DRAWING, self.rows, self.text, self.date))
        return hashlib.blake2b(shown.encode(), digest_size=5).hexdigest()

    @property
    def address(self) -> str:
        """The path of the picture."""
        return f"{self.path}{self.key}.png"

    @property
    def url(self) -> str:
        """The same with the site."""
        return f"{settings.SITE_URL}{self.address}"


def has_own_picture(content: Content, tools: Iterable[Tool]) -> bool:
    """Whether tools side by side have a picture: an editor's comparison, or a pair that is read.
    Anybody could have the pictures of all other sets drawn and stored.
    """
    key = tools_key(tool.pk for tool in tools)
    return key in content.by_tools_key or key in content.read_pairs


def picture_of_comparison(columns: Sequence[JudgedTool[Tool]]) -> SharePicture:
    """The picture of tools side by side, in their order."""
    pair = "-vs-".join(column.tool.slug for column in columns)
    return SharePicture(
        _path("programs:comparison_picture", pair),
        [_row(column) for column in columns],
        answer(contenders(columns)),
        _judged(column.judged_at for column in columns),
    )


def picture_of_tool(column: JudgedTool[Tool]) -> SharePicture:
    """The picture of one tool."""
    tool = column.tool
    path = _path("programs:tool_picture", tool.slug)
    return SharePicture(path, [_row(column)], tool.tagline, _judged([column.judged_at]))


def picture_of_reviewer(reviewer: Reviewer, content: Content) -> SharePicture:
    """The picture of a reviewer, with the figures of all their takes."""
    stats = stats_of(content.counts_by_reviewer.get(reviewer.pk, {}))
    newest = [take.published_at for take in content.takes_by_reviewer.get(reviewer.pk, ())[:1]]
    figures = f"{stats.total} takes · {stats.ship_rate}% ship" if stats.total else "No takes yet"
    score = f"{stats.mean}" if stats.total else ""
    row = PictureRow(reviewer.name, reviewer.slug, None, figures, score)
    path = _path("programs:reviewer_picture", reviewer.slug)
    return SharePicture(path, [row], reviewer.motto, _judged(newest))


def _row(column: JudgedTool[Tool]) -> PictureRow:
    panel = column.panel
    takes = [(take.score, take.verdict) for take in column.takes if take.score is not None]
    return PictureRow(
        name=column.tool.title,
        slug=column.tool.slug,
        verdict=panel.verdict,
        figures=panel.ship_of_total if panel.total else "",
        score=f"{panel.score}" if panel.total else "",
        marks=takes,
    )


def _judged(moments: Iterable[datetime | None]) -> str:
    newest = max(filter(None, moments), default=None)
    return f"Judged {newest:%B %Y}" if newest else ""


def _path(view: str, name: str) -> str:
    return reverse(view, args=[name, "-"]).removesuffix("-.png")
