"""The first page of the desk: scheduled rows, missing takes, drafts, votes, recent changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from reviews.models import HeldGroup, Reviewer, Take
from shipskip.desk.content_models import CONTENT_MODELS
from shipskip.desk.coverage import may_see
from shipskip.desk.facts_due import AllFactsDue, facts_due
from shipskip.desk.missing_takes import MissingTakes, count_missing_takes, panel_at
from shipskip.desk.recent_changes import RecentChange, recent_changes
from shipskip.desk.schedule import (
    Ages,
    Schedule,
    ScheduleLine,
    drafts_by_age,
    midnight,
    oldest_drafts,
    schedule,
)
from tools.models import Tool

MAX_TOOLS = 10

PUBLISH_ALL = ["tools.publish_tool", "reviews.publish_take", "comparisons.publish_comparison"]
QUICK_LINKS = (
    ("Add a tool", "tools_tool_add", ["tools.add_tool"]),
    ("Coverage", "coverage", ["tools.view_tool", "reviews.view_take"]),
    ("Facts", "facts-index", ["tools.view_tool", "tools.view_fact"]),
    ("Featured order", "featured", ["comparisons.publish_comparison"]),
    ("Issues", "newsletter_issue_changelist", ["newsletter.change_issue"]),
    ("Catalogue", "catalogue", PUBLISH_ALL),
    ("Takes as CSV", "takes-csv", PUBLISH_ALL),
    ("Facts as CSV", "facts-csv", PUBLISH_ALL),
    ("Deleted tools", "tools_tool_deleted", ["tools.view_tool"]),
)
"""Label, URL name in the namespace `admin:`, and required permissions."""


@dataclass(frozen=True)
class Gap:
    """A public tool, and the reviewers whose takes on it are missing, each with a link."""

    tool: Tool
    missing: Sequence[tuple[Reviewer, str]]


@dataclass(frozen=True)
class Dashboard:
    """All data of the first page; it makes no queries."""

    now: datetime
    today: datetime
    links: Sequence[tuple[str, str]]
    schedule: Schedule
    missing: MissingTakes
    gaps: Sequence[Gap]
    facts: AllFactsDue
    ages: Sequence[Ages]
    oldest: Sequence[ScheduleLine]
    held: int | None
    """The number of groups of held votes to decide on; None without permission to view votes."""
    changes: Sequence[RecentChange]

    @property
    def drafts(self) -> int:
        """The total number of drafts."""
        return sum(ages.counts[-1] for ages in self.ages)


def dashboard_for(request: HttpRequest) -> Dashboard | None:
    """The first page for this editor; None without permission to view tools and takes."""
    if not may_see(request):
        return None
    now = timezone.now()
    models = [model for model in CONTENT_MODELS if model.may_be_seen_by(request.user)]
    panel = panel_at(list(Reviewer.objects.not_withdrawn()), now)
    sees_issues = request.user.has_perm("newsletter.view_issue")
    may_see_votes = request.user.has_perm("reviews.view_vote")
    return Dashboard(
        now=now,
        today=midnight(now),
        links=quick_links(request),
        schedule=schedule(models, now, with_issues=sees_issues),
        missing=count_missing_takes(panel, now),
        gaps=gaps(panel, now, may_add=admin.site.get_model_admin(Take).has_add_permission(request)),
        facts=facts_due(now),
        ages=drafts_by_age(models, now),
        oldest=oldest_drafts(models),
        held=HeldGroup.objects.held().count() if may_see_votes else None,
        changes=recent_changes(models),
    )


def gaps(panel: Sequence[Reviewer], now: datetime, *, may_add: bool) -> list[Gap]:
    """The newest public tools on which a take of the panel is missing; two queries."""
    tools = Take.objects.missing_on(Tool.objects.published(now), panel).latest_first()[:MAX_TOOLS]
    rows = list(tools)
    takes = Take.objects.on(rows).by_any(panel).only("tool", "reviewer")
    written = {(take.tool_id, take.reviewer_id) for take in takes}
    url = reverse("admin:reviews_take_add") if may_add else ""
    return [
        Gap(
            tool,
            [
                (reviewer, url and f"{url}?tool={tool.pk}&reviewer={reviewer.pk}&missing=next")
                for reviewer in panel
                if (tool.pk, reviewer.pk) not in written
            ],
        )
        for tool in rows
    ]


def quick_links(request: HttpRequest) -> list[tuple[str, str]]:
    """Label and URL of the pages that this editor may use."""
    found = []
    for label, name, rights in QUICK_LINKS:
        if request.user.has_perms(rights):
            try:
                found.append((label, reverse(f"admin:{name}")))
            except NoReverseMatch:
                continue
    return found
