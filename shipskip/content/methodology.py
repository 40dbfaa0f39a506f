"""The numbers of the methodology: those of the rules, and today's of the panel."""

from django.conf import settings

from comparisons.answer import MIN_AHEAD, MIN_LEAD, MIN_SHARED
from comparisons.models import MIN_READS, RECENT_PERIOD, STORAGE_PERIOD
from reviews.network_limits import ALL_TOOLS_FACTOR
from reviews.scoring import HIGH_TO_SKIP, LOW_TO_SHIP, PERCENT_FROM, ReviewerStats
from shipskip.content.content import Content
from shipskip.web.visitor import LIFETIME


def panel_stats(content: Content) -> ReviewerStats:
    """The figures of all takes on public tools."""
    panels = content.ours.panels
    return ReviewerStats(
        total=sum(panel.total for panel in panels),
        ship=sum(panel.ship for panel in panels),
        points=sum(panel.points for panel in panels),
    )


def rule_numbers() -> dict[str, int]:
    """The numbers in the rules of verdicts, answers and votes, by their names on the page."""
    return {
        "min_lead": MIN_LEAD,
        "min_shared": MIN_SHARED,
        "min_ahead": MIN_AHEAD,
        "percent_from": PERCENT_FROM,
        "low_to_ship": LOW_TO_SHIP,
        "high_to_skip": HIGH_TO_SKIP,
        "per_network": settings.VOTES_PER_NETWORK_PER_DAY,
        "per_network_all": settings.VOTES_PER_NETWORK_PER_DAY * ALL_TOOLS_FACTOR,
        "new_browsers": settings.NEW_VISITORS_PER_NETWORK_PER_HOUR,
        "reports_per_network": settings.REPORTS_PER_NETWORK_PER_DAY,
        "cookie_days": LIFETIME.days,
        "per_minute": settings.VOTES_PER_VISITOR_PER_MINUTE,
        "min_reads": MIN_READS,
        "reads_recent_days": RECENT_PERIOD.days,
        "reads_stored_days": STORAGE_PERIOD.days,
    }
