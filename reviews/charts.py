"""Small charts for the desk, drawn on the server as SVG. No database here."""

from collections.abc import Mapping, Sequence
from datetime import date

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

STATES = ("counted", "void")
WIDTH, HEIGHT, GAP = 12, 80, 3


def votes_by_day(days: Sequence[date], counts: Mapping[tuple[date, str], int]) -> SafeString:
    """Stacked columns of votes a day by state, with the numbers as a table too.

    `counts` maps a day and a state (`counted`, `void`) to a number of votes.
    """
    if not counts:
        return SafeString("No votes in these days.")
    totals = [sum(counts.get((day, state), 0) for state in STATES) for day in days]
    rows = format_html_join(
        "",
        "<tr><th>{}</th><td>{}</td><td>{}</td></tr>",
        (
            (f"{day.day} {day:%b %Y}", *(counts.get((day, state), 0) for state in STATES))
            for day, total in zip(days, totals, strict=True)
            if total
        ),
    )
    return format_html(
        '<svg class="votes-chart" viewBox="0 0 {} {}" role="img" aria-label="Votes a day, '
        'last {} days: {} in all, {} on the busiest day">{}</svg>'
        "<details><summary>As numbers</summary><table><thead><tr><th>Day</th><th>Counted</th>"
        "<th>Void</th></tr></thead><tbody>{}</tbody></table></details>",
        len(days) * (WIDTH + GAP),
        HEIGHT,
        len(days),
        sum(totals),
        max(totals, default=0),
        _columns(days, counts, max([*totals, 1])),
        rows,
    )


def _columns(days: Sequence[date], counts: Mapping[tuple[date, str], int], most: int) -> SafeString:
    """The columns; one of `most` votes is as high as the chart."""
    bars = []
    for index, day in enumerate(days):
        top = float(HEIGHT)
        for state in STATES:
            height = HEIGHT * counts.get((day, state), 0) / most
            top -= height
            bars.append((index * (WIDTH + GAP), f"{top:.1f}", WIDTH, f"{height:.1f}", state))
    rect = '<rect x="{}" y="{}" width="{}" height="{}" class="votes-chart__{}"/>'
    return format_html_join("", rect, bars)
