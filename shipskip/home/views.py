"""The site's own pages: home and methodology."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.addresses import MAX_TOOLS
from comparisons.answer import MIN_LEAD, MIN_SHARED, NUMBER_WORDS
from comparisons.answer_cases import cases_of
from comparisons.models import (
    MIN_READS,
    ON_HOME_PAGE,
    RECENT_PERIOD,
    STORAGE_PERIOD,
    Comparison,
    tools_key,
)
from comparisons.often_compared import often_compared
from comparisons.picking import Field, first_options
from comparisons.side_by_side import answered_pairs
from reviews.judged_tools import with_scores
from reviews.models import PanelFigures, Reviewer, Take, VoteDay
from reviews.network_limits import ALL_TOOLS_FACTOR
from reviews.scoring import PERCENT_FROM, ReviewerStats
from shipskip.web.cache_control import public
from tools.models import Tool

MAX_NEWEST = 6

MAX_EXAMPLE_TOOLS = 30
"""The examples of the methodology come from this many of the newest tools, which are 435 pairs."""


@require_safe
@public
def home(request: HttpRequest) -> HttpResponse:
    """An introduction, a form to compare two tools, the newest verdicts, featured comparisons."""
    now = timezone.now()
    takes = Take.objects.published(now)
    judged = Take.objects.latest_tools(now, MAX_NEWEST)
    newest = Tool.objects.for_list_page(now).in_bulk(judged)
    featured = Comparison.objects.for_list_page(now).featured()[:ON_HOME_PAGE]
    verdicts = with_scores([newest[pk] for pk in judged if pk in newest], takes)
    pairs = answered_pairs(list(featured), takes)
    shown = [tools_key(tool.pk for tool in pair.tools) for pair in pairs]
    near = verdicts[0].tool if verdicts else None
    suggested = often_compared([], now, near=near, without=shown)
    context = {
        "fields": [Field(), Field()],
        "most": MAX_TOOLS,
        "options": first_options(now),
        "newest": verdicts,
        "featured": pairs,
        "compared": answered_pairs(suggested.pairs, takes),
        "by_use": suggested.by_use,
        "reviewers": list(Reviewer.objects.published(now)),
    }
    return render(request, "home/home.html", context)


@require_safe
@public(tallies=True)
def methodology(request: HttpRequest) -> HttpResponse:
    """How a verdict, an answer, a percentage and a tally are calculated, with today's numbers."""
    now = timezone.now()
    takes = Take.objects.published(now)
    public_tools = Tool.everything.published(now)  # none is deleted, so an index is enough
    keys = public_tools.newest_keys(MAX_EXAMPLE_TOOLS)
    newest = Tool.objects.for_list_page(now).in_bulk(keys)
    columns = with_scores([newest[pk] for pk in keys if pk in newest], takes)
    context = {
        "stats": ReviewerStats(**PanelFigures.objects.on_public_tools(now).totals()),
        "tools": public_tools.count(),
        "example": max(columns, key=lambda row: row.panel.score or 0, default=None),
        "cases": cases_of(columns),
        "min_lead": MIN_LEAD,
        "min_shared": NUMBER_WORDS[MIN_SHARED],
        "reviewers": list(Reviewer.objects.published(now)),
        "percent_from": PERCENT_FROM,
        "votes": VoteDay.objects.order_by("-day").first(),
        "per_network": settings.VOTES_PER_NETWORK_PER_DAY,
        "per_network_all": settings.VOTES_PER_NETWORK_PER_DAY * ALL_TOOLS_FACTOR,
        "min_reads": MIN_READS,
        "reads_recent": RECENT_PERIOD,
        "reads_stored": STORAGE_PERIOD,
    }
    return render(request, "home/methodology.html", context)
