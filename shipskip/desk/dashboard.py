"""The first page of the desk: scheduled rows, readers' reports, missing takes, drafts, recent
changes, and for publishers the site's periodic jobs and notes for its operator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from reviews.models import Reviewer, Take
from shipskip.desk.content_rows import content_rows
from shipskip.desk.coverage import may_see
from shipskip.desk.facts_due import AllFactsDue, facts_due
from shipskip.desk.menu import PUBLISH_ALL
from shipskip.desk.missing_takes import MissingTakes, count_missing_takes, panel_at
from shipskip.desk.recent_changes import recent_changes
from shipskip.desk.schedule import DraftCount, Schedule, count_drafts, midnight, schedule
from shipskip.editing.history_entries import HistoryEntry
from shipskip.jobs.timetable import JobState, states
from shipskip.operator_notes import notes
from shipskip.reports.waiting import WaitingReports, waiting_reports
from tools.models import Tool

MAX_TOOLS = 10
MAX_CHANGES = 10


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
    may_add_tool: bool
    schedule: Schedule
    missing: MissingTakes
    gaps: Sequence[Gap]
    facts: AllFactsDue
    reports: WaitingReports | None
    drafts: Sequence[DraftCount]
    changes: Sequence[HistoryEntry]
    jobs: Sequence[JobState]
    notes: Sequence[str]


def dashboard_for(request: HttpRequest) -> Dashboard | None:
    """The first page for this editor; None without permission to view tools and takes."""
    if not may_see(request):
        return None
    now = timezone.now()
    kinds = content_rows(request)
    panel = panel_at(list(Reviewer.objects.not_withdrawn()), now)
    publishes = request.user.has_perms(PUBLISH_ALL)
    sees_issues = request.user.has_perm("newsletter.view_issue")
    return Dashboard(
        now=now,
        today=midnight(now),
        may_add_tool=request.user.has_perm("tools.add_tool"),
        schedule=schedule(kinds, now, with_issues=sees_issues),
        missing=count_missing_takes(panel, now),
        gaps=gaps(panel, now, may_add=admin.site.get_model_admin(Take).has_add_permission(request)),
        facts=facts_due(now),
        reports=waiting_reports() if request.user.has_perm("reports.view_report") else None,
        drafts=count_drafts(kinds),
        changes=recent_changes(request, 1, MAX_CHANGES).rows,
        jobs=states(now) if publishes else (),
        notes=list(notes()) if publishes else (),
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
