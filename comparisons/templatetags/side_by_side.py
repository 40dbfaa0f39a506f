"""Template tags of tools side by side: the parts that are the same on every page with a tool.

Each is a fragment of its inputs alone, so that a process renders it once.
"""

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Protocol

from django import template
from django.utils.safestring import SafeString

from shipskip.web.fragments import fragment

register = template.Library()


class CardCategory(Protocol):
    """The category of a tool."""

    name: str

    @property
    def tint(self) -> str:
        """The colour of its monogram."""

    def get_absolute_url(self) -> str:
        """Its page."""


class CardTool(Protocol):
    """A tool on a card."""

    name: str
    tagline: str
    website: str
    description: str

    @property
    def category(self) -> CardCategory:
        """Its category."""

    @property
    def title(self) -> str:
        """Its name, distinguished from others."""

    def title_within(self, limit: int) -> str:
        """The same in at most `limit` characters."""

    def get_absolute_url(self) -> str:
        """Its page."""

    @property
    def price(self) -> str:
        """What it costs to start using it."""

    @property
    def status(self) -> str:
        """Whether it is maintained."""


class CardColumn(Protocol):
    """A tool with its panel."""

    @property
    def tool(self) -> CardTool:
        """The tool."""

    @property
    def panel(self) -> Hashable:
        """All takes, counted."""


class ShownTake(Protocol):
    """One reviewer's take."""

    score: int | None
    verdict: str
    because: str
    body: str
    published_at: datetime | None

    def get_basis_display(self) -> str:
        """What it rests on, in words."""


class TakeCell(Protocol):
    """One reviewer's take on one tool; None where there is none."""

    @property
    def tool(self) -> CardTool:
        """The tool."""

    @property
    def take(self) -> ShownTake | None:
        """The take."""

    @property
    def remark(self) -> str:
        """What its reader has to know of it; empty for most."""


class ListedPair(Protocol):
    """The tools of another page, with its answer."""

    answer: str

    @property
    def names(self) -> tuple[tuple[str, str, str | None], ...]:
        """Each tool's name, status and verdict."""

    @property
    def taglines(self) -> tuple[str, ...]:
        """Each tool's tagline."""

    def without(self, slug: str) -> "ListedPair":
        """The same without one of the tools."""

    def get_absolute_url(self) -> str:
        """The address of the page."""


@register.simple_tag
def card_head(column: CardColumn, query: str) -> SafeString:
    """The names, the verdict and the numbers of a tool; links end in `query`."""
    tool, panel = column.tool, column.panel
    return fragment(
        "comparisons/_card_head.html",
        name=tool.name,
        tint=tool.category.tint,
        title=tool.title,
        tagline=tool.tagline,
        status=tool.status,
        url=tool.get_absolute_url(),
        query=query,
        category=tool.category.name,
        category_url=tool.category.get_absolute_url(),
        price=tool.price,
        panel=panel,
    )


@register.simple_tag
def card_text(column: CardColumn) -> SafeString:
    """The website and the description of a tool."""
    tool = column.tool
    return fragment(
        "comparisons/_card_text.html",
        title=tool.title,
        website=tool.website,
        description=tool.description,
    )


@register.simple_tag
def pair_row(pair: ListedPair, query: str = "", without: str = "") -> SafeString:
    """A pair in a list of comparisons; its link ends in `query`. On the page of a tool, its own
    name is left out: `without` is its slug.
    """
    shown = pair.without(without) if without else pair
    return fragment(
        "_pair.html",
        url=pair.get_absolute_url(),
        query=query,
        names=shown.names,
        answer=pair.answer,
        taglines=shown.taglines,
    )


@register.simple_tag
def scorecard_cells(cells: Sequence[TakeCell], *, names_repeated: bool) -> SafeString:
    """A reviewer's takes: first the scores, then the texts, which a page sets in a second row."""
    scores = [_scorecard_score(cell, names_repeated=names_repeated) for cell in cells]
    return SafeString("".join([*scores, *map(_scorecard_take, cells)]))


def _scorecard_score(cell: TakeCell, *, names_repeated: bool) -> SafeString:
    """The score and verdict of a take, with the name of its tool for print and screen readers."""
    take = cell.take
    return fragment(
        "comparisons/_scorecard_score.html",
        title=cell.tool.title,
        names_repeated=names_repeated,
        score=take.score if take else None,
        verdict=take.verdict if take else None,
        has_take=take is not None,
    )


def _scorecard_take(cell: TakeCell) -> SafeString:
    """A take with its date, below the name of its tool."""
    if cell.take is None:
        return fragment("comparisons/_scorecard_take.html", body=None)
    return fragment(
        "comparisons/_scorecard_take.html",
        title=cell.tool.title_within(32),
        published_at=cell.take.published_at,
        basis=cell.take.get_basis_display(),
        remark=cell.remark,
        because=cell.take.because,
        body=cell.take.body,
    )
