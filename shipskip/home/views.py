"""The site's own pages: home and methodology."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from comparisons.answer import NUMBER_WORDS
from comparisons.models import ON_HOME_PAGE
from shipskip.content import structured_data
from shipskip.content.answer_cases import cases_of
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.home_page import category_leaders, live_comparison
from shipskip.content.judged_tools import judged
from shipskip.content.methodology import panel_stats, rule_numbers
from shipskip.content.often_compared import often_compared
from shipskip.content.personas import persona_line, takes_tried
from shipskip.content.picking import Field, Picker
from shipskip.content.side_by_side import Pair
from shipskip.web.cache_control import public
from shipskip.web.twins import with_twins

MAX_EXAMPLE_TOOLS = 30
"""The examples of the methodology come from this many of the newest tools, which are 435 pairs."""


@require_safe
@public
@with_content
def home(request: HttpRequest, content: Content) -> HttpResponse:
    """What this is, a form to compare two tools, a comparison to look at, the categories with their
    leaders, the newest verdicts, featured comparisons, the panel.
    """
    verdicts = judged(content.newest_verdicts)
    featured = [row for row in content.comparisons if row.featured][:ON_HOME_PAGE]
    near = verdicts[0].tool if verdicts else None
    shown = [row.tools_key for row in featured]
    suggested = often_compared(content, [], near=near, without=shown)
    context = {
        "structured_data": structured_data.website(),
        "picker": Picker([Field(), Field()]),
        "live": live_comparison(content),
        "leaders": category_leaders(content),
        "newest": verdicts,
        "featured": [Pair.answered(judged(row.tools)) for row in featured],
        "compared": suggested.pairs(),
        "by_use": suggested.by_use,
        "reviewers": content.reviewers,
        "personas": persona_line(len(content.reviewers), content.bases),
    }
    return render(request, "home/home.html", context)


@require_safe
@public(tallies=True)
@with_twins("md", "json")
@with_content
def methodology(request: HttpRequest, content: Content) -> HttpResponse:
    """How a verdict, an answer, a percentage and a tally are calculated, with today's numbers."""
    columns = judged(content.newest[:MAX_EXAMPLE_TOOLS])
    numbers = rule_numbers()
    context: dict[str, object] = {
        **numbers,
        "stats": panel_stats(content),
        "tools": len(content.tools),
        "tried": takes_tried(content.bases),
        "example": max(columns, key=lambda row: row.panel.score or 0, default=None),
        "cases": cases_of(columns),
        "min_shared": NUMBER_WORDS[numbers["min_shared"]],
        "min_ahead": NUMBER_WORDS[numbers["min_ahead"]],
        "reviewers": content.reviewers,
    }
    return render(request, "home/methodology.html", context)
