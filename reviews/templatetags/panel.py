"""Template tags of the panel and the community: verdicts, points and tallies."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Protocol, cast

from django import template
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from reviews import portraits
from reviews.score_strip import (
    BESIDE,
    MARK,
    SMALL,
    SMALL_MARK,
    SMALL_WIDTH,
    WIDTH,
    Axis,
    ScoreBar,
    ScoreStrip,
    StripLine,
    StripMark,
)
from reviews.scoring import VERDICT_WORDS, Panel, Scored, Tally, Verdict, verdict_beside_score
from shipskip.web.fragments import fragment, fragment_for_page
from shipskip.web.way_back import way_back

register = template.Library()

BELOW = 16
"""The height of the numbers below a chart."""

BARS = Axis(34, WIDTH - 16)
HALF = 60
"""The axis of the chart of all scores, and the height of each half."""


@register.simple_tag
@lru_cache
def verdict(value: Verdict) -> SafeString:
    """The mark of a verdict of the panel: its word, sign and colour."""
    return format_html('<span class="verdict verdict--{}">{}</span>', value, VERDICT_WORDS[value])


class Portrayed(Protocol):
    """A reviewer."""

    name: str
    sign: str
    tint: str


@register.simple_tag
def portrait(reviewer: Portrayed, size: int = 32) -> SafeString:
    """A reviewer's portrait of `size` pixels; their name stands beside it."""
    return portraits.portrait(reviewer.sign, reviewer.tint, reviewer.name, size)


@register.simple_tag
@lru_cache
def take_verdict(value: str) -> SafeString:
    """The verdict of one take in a line of text: its word in its colour, with its sign."""
    return format_html('<span class="take-verdict take-verdict--{0}">{0}</span>', value)


@register.filter
def reviewer_letter(name: str) -> str:
    """A reviewer's letter, for mails, which cannot show portraits."""
    return portraits.letter(name)


@register.simple_tag
def points(take: Scored) -> SafeString:
    """A take's score and verdict: `84/100 · ship`; in a preview they may be missing."""
    return points_of(take.score, take.verdict)


@register.simple_tag
@lru_cache(maxsize=202)
def points_of(score: int | None, verdict_name: str) -> SafeString:
    """The same for a score and a verdict."""
    if score is None or not verdict_name:
        verdict_name = verdict_name or "no verdict yet"
        points = "no score yet" if score is None else f"{score}/100"
        return format_html('<span class="quiet">{} · {}</span>', points, verdict_name)
    return format_html(
        '<span class="points"><b>{}</b>/100</span> · {}',
        score,
        take_verdict(verdict_name),
    )


class Judged(Protocol):
    """A tool with its panel and the date of the newest take."""

    @property
    def panel(self) -> Panel:
        """The panel."""

    @property
    def judged_at(self) -> datetime | None:
        """When the newest take was published."""


@register.simple_tag
def judged(row: Judged) -> SafeString:
    """The ship takes and their date: `2 of 3 ship · judged June 2026`; empty without takes."""
    if not row.panel.total:
        return SafeString("")
    return _judged(row.panel.ship_of_total, _month(row))


@register.simple_tag
def scored(row: Judged) -> SafeString:
    """The mean score and the date of the takes: `mean score 54.7 · judged June 2026`; empty without
    takes.
    """
    if not row.panel.total:
        return SafeString("")
    return _judged(f"mean score {row.panel.score}", _month(row))


def _month(row: Judged) -> date | None:
    at = row.judged_at
    return at and date(at.year, at.month, 1)


@lru_cache(maxsize=4096)
def _judged(figure: str, month: date | None) -> SafeString:
    if month is None:
        return format_html("{}", figure)
    line = '{} · <span class="judged__word">judged </span>{}'
    return format_html(line, figure, f"{month:%B %Y}")


@register.filter
def beside_score(tool: Mapping[str, str]) -> str:
    """Why verdict and mean score of a tool in an issue point apart; empty if they do not."""
    return verdict_beside_score(tool["verdict"], Decimal(tool["score"]))


@register.simple_tag
def tally(votes: Tally) -> str:
    """The community's tally in words, with share and interval from ten votes on."""
    return votes.words


@register.simple_tag
def tally_short(votes: Tally) -> str:
    """The tally where space is short: a dash, counts, or a per cent with its count."""
    return votes.short_words


@register.simple_tag
def strip_line(line: StripLine) -> SafeString:
    """A line of the score strip as an SVG: the side of the verdict, the marks, and the mean. Each
    mark can have the focus, and then shows its reviewer and score, as under the pointer.
    """
    base = MARK * line.rows + 2
    score = line.panel.score if line.panel else None
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" role="group" aria-label="{}">{}{}{}\n{}</svg>',
        *(WIDTH, base + BELOW, line.title),
        _side(line.panel.verdict if line.panel else "none", line.axis, base),
        _axis(line.axis, base),
        "" if score is None else _mean(score, line.axis, base),
        format_html_join("\n", "{}", ((_mark(mark, base),) for mark in line.marks)),
    )


def _side(verdict: Verdict, axis: Axis, base: int) -> SafeString:
    """A tint behind the half of the scale that the verdict stands for; all of it for a split."""
    start, end = {"ship": (50, 100), "skip": (0, 50), "split": (0, 100)}.get(verdict, (0, 0))
    if start == end:
        return SafeString("")
    return format_html(
        '<rect class="strip__side--{}" x="{}" width="{}" height="{}"/>',
        *(verdict, axis.x_of(start), axis.x_of(end) - axis.x_of(start), base),
    )


def _axis(axis: Axis, base: int) -> SafeString:
    """The base line, with ticks at 0, 50 and 100."""
    return format_html(
        '<path class="chart__axis" d="M{0} {1}v6H{2}v-6M{3} {1}v6"/>',
        *(axis.start, base - 6, axis.end, axis.x_of(50)),
    )


def _mean(score: Decimal, axis: Axis, base: int) -> SafeString:
    """A tick at the mean score, with its number below the line."""
    return format_html(
        '<path class="strip__mean" d="M{0} 0v{1}"/>'
        '<text class="strip__number" x="{0}" y="{2}">{3}</text>',
        *(axis.x_of(float(score)), base, base + 13, score),
    )


@register.simple_tag
def strip_scale(strip: ScoreStrip) -> SafeString:
    """The numbers below all lines, and what stands beside the axis."""
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" aria-hidden="true">{}{}</svg>',
        *(WIDTH, BELOW, _numbers(strip.axis, 12)),
        _words(BESIDE, 12, "no take") if strip.has_hollow else "",
    )


def _numbers(axis: Axis, y: int) -> SafeString:
    return format_html_join("", "{}", ((_words(axis.x_of(n), y, str(n)),) for n in (0, 50, 100)))


def _words(x: int, y: int, words: str) -> SafeString:
    """A line of its own, so that words of a chart stay words when they are copied."""
    return format_html('<text x="{}" y="{}">{}</text>\n', x, y, words)


@register.simple_tag
def small_strip(line: StripLine) -> SafeString:
    """The line of a list: small marks without letters above the scale, with a text alternative."""
    return _small_strip(line.rows, tuple(line.marks))


@lru_cache(maxsize=4096)
def _small_strip(rows: int, marks: tuple[StripMark, ...]) -> SafeString:
    base = SMALL_MARK * rows + 3
    shapes = (
        (mark.x, base - 2 - SMALL_MARK * (mark.row + 0.5), _shape(mark.verdict, 5))
        for mark in marks
    )
    return format_html(
        '<svg class="chart chart--small" viewBox="0 0 {} {}" role="img"'
        ' aria-label="Scores: {}">{}{}{}</svg>',
        *(SMALL_WIDTH, base + BELOW - 1),
        ", ".join(f"{mark.score} {mark.verdict}" for mark in marks),
        _axis(SMALL, base),
        format_html_join("", '<g transform="translate({} {})">{}</g>', shapes),
        _numbers(SMALL, base + 13),
    )


@lru_cache(maxsize=16)
def _shape(verdict: str, radius: int) -> SafeString:
    """A disc for ship and for no take, a square for skip, around the origin."""
    if verdict != "skip":
        disc = '<circle class="strip__mark strip__mark--{}" r="{}"/>'
        return format_html(disc, verdict or "none", radius)
    return format_html(
        '<rect class="strip__mark strip__mark--skip" x="-{0}" y="-{0}" width="{1}" height="{1}"/>',
        *(f"{0.9 * radius:g}", f"{1.8 * radius:g}"),
    )


@lru_cache(maxsize=4096)
def _mark(mark: StripMark, base: int) -> SafeString:
    """A mark with its reviewer's face; name and score appear above it."""
    return format_html(
        '<g class="strip__reviewer" tabindex="0" role="img" transform="translate({} {})"'
        ' aria-label="{}">{}{}\n<text class="strip__tip" y="-15"{}>{}</text></g>',
        *(mark.x, base - MARK * mark.row - MARK // 2, mark.words),
        _shape(mark.verdict, 11),
        portraits.face(mark.sign, mark.tint, mark.letters),
        SafeString(_anchor(mark.x)),
        mark.words,
    )


def _anchor(x: int) -> str:
    """Words at an end of a chart start or end at their place."""
    end = "start" if x < WIDTH / 4 else "end" if x > WIDTH * 3 / 4 else ""
    return f' text-anchor="{end}"' if end else ""


@register.simple_tag
def score_bars_chart(bars: Sequence[ScoreBar]) -> SafeString:
    """All scores as an SVG: ships as columns above the line, skips below it. A table beside it has
    the numbers.
    """
    columns = (
        (
            bar.verdict,
            BARS.x_of(bar.low) + 1,
            f"{HALF * (1 - bar.share) if bar.verdict == 'ship' else HALF:.0f}",
            BARS.x_of(5) - BARS.start - 2,
            f"{HALF * bar.share:.0f}",
        )
        for bar in bars
    )
    column = '<rect class="score-bars__{}" x="{}" y="{}" width="{}" height="{}"/>'
    return format_html(
        '<svg class="chart score-bars" viewBox="0 0 {} {}" role="img" aria-label="Takes by score'
        ' from 0 to 100, ships above the line and skips below; the table has the numbers">{}'
        '<path class="chart__axis" d="M{} {}H{}"/>{}{}{}</svg>',
        *(WIDTH, 2 * HALF + BELOW, format_html_join("", column, columns)),
        *(BARS.start, HALF, BARS.end),
        *(_words(14, HALF // 2 + 4, "ship"), _words(14, HALF * 3 // 2 + 4, "skip")),
        _numbers(BARS, 2 * HALF + 14),
    )


@register.simple_tag
def interval(votes: Tally) -> SafeString:
    """The 95 % interval as a small SVG with a text alternative; nothing below ten votes."""
    if votes.interval is None or votes.share is None:
        return SafeString("")
    low, high = votes.interval
    return format_html(
        '<svg class="interval" viewBox="0 0 100 8" preserveAspectRatio="none" role="img"'
        ' aria-label="{}% ship; with 95% confidence between {}% and {}%">'
        '<rect class="interval__track" y="3" width="100" height="2"/>'
        '<rect class="interval__range" x="{}" y="2" width="{}" height="4"/>'
        '<rect class="interval__share" x="{}" width="1.5" height="8"/></svg>',
        votes.share,
        low,
        high,
        low,
        max(high - low, 1),
        min(max(votes.share - 0.75, 0), 98.5),
    )


class TableColumn(Protocol):
    """A tool with its panel in a table."""

    @property
    def tool(self) -> "Votable":
        """The tool."""

    @property
    def panel(self) -> Panel:
        """All takes, counted."""


class JudgedRow(Protocol):
    """A row of verdicts, scores or tallies."""

    @property
    def kind(self) -> str:
        """`verdict`, `score` or `tally`."""

    @property
    def cells(self) -> Sequence[Decimal | Tally]:
        """The score or the tally of each tool."""


@register.simple_tag
def judged_cells(
    row: JudgedRow, columns: Sequence[TableColumn], names: Sequence[str]
) -> SafeString:
    """The cells of a row of the decision table that tells what panel or community say; the names of
    the tools, if given, are added for print.
    """
    cells = ((_judged_cell(row.kind, *each),) for each in zip(columns, row.cells, strict=True))
    if not names:
        return format_html_join(" ", "<td>{}</td>", cells)
    named = '<td><span class="many-tools__name"><bdi>{}</bdi></span> {}</td>'
    pairs = ((name, *cell) for name, cell in zip(names, cells, strict=True))
    return format_html_join(" ", named, pairs)


def _judged_cell(kind: str, column: TableColumn, value: Decimal | Tally) -> SafeString:
    if kind == "tally":
        words = tally_short(cast(Tally, value))
        return format_html('<span id="tally-{}">{}</span>', column.tool.slug, words)
    return _panel_cell(kind, column.panel)


@lru_cache(maxsize=4096)
def _panel_cell(kind: str, panel: Panel) -> SafeString:
    if kind == "score":
        return format_html("{}", panel.score if panel.total else "—")
    if not panel.total:
        return verdict(panel.verdict)
    counts = '{}<span class="counts"><span class="counts__dot"> · </span>{}</span>'
    return format_html(counts, verdict(panel.verdict), panel.ship_and_skip)


class Votable(Protocol):
    """A tool to vote on."""

    slug: str

    @property
    def title(self) -> str:
        """Its name, distinguished from others."""


@register.simple_tag(takes_context=True)
def vote_form(context: Context, tool: Votable, votes: Tally | None = None) -> SafeString:
    """The form to vote on a tool, without anybody's vote, as public pages have it; with the
    community's tally if it is given.
    """
    return fragment_for_page(
        "_vote.html",
        gap="next",
        text=way_back(context),
        slug=tool.slug,
        title=tool.title,
        tally=votes,
    )


class Dated(Protocol):
    """A take, as far as the line about it tells."""

    published_at: datetime | None

    def get_basis_display(self) -> str:
        """What it rests on, in words."""


@register.simple_tag
def about_take(take: Dated, remark: str = "") -> SafeString:
    """The day of a take, what it rests on, and a remark."""
    at, basis = take.published_at, take.get_basis_display()
    return fragment("_take_about.html", published_at=at, basis=basis, remark=remark)
