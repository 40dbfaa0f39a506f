"""Load the input of the digest rules: four queries for any number of tools."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, Min, Q, Sum
from django.db.models.functions import Greatest

from reviews.models import Reviewer, Take, TakeChange, TakeQuerySet, ToolTally
from reviews.scoring import Panel, Tally
from shipskip.newsletter.issues.digest import DigestCandidate, VerdictChange
from shipskip.web.publishing import first_seen
from tools.models import Category, Tool


def candidates(
    since: datetime, until: datetime, among: Sequence[int] | None = None
) -> list[DigestCandidate]:
    """Every public tool with a public take at `until`, or those with the primary keys `among`.

    Three queries. A tool has its first verdict once it, its category, a take on it and the
    reviewer of that take are all public; what was withdrawn and is public again is not new.
    """
    takes = Take.objects.published(until).on_public_tools(until)
    tallies = ToolTally.objects.all()
    if among is not None:
        takes, tallies = takes.filter(tool__in=among), tallies.filter(tool__in=among)
    takes = takes.alias(seen=Greatest(first_seen(Take), first_seen(Reviewer, "reviewer__")))
    early = Q(seen__lt=since)
    columns = ("tool_id", "tool__slug", "tool__category_id")
    rows = takes.order_by().values(*columns)
    rows = rows.annotate(
        total=Count("pk"),
        ship=Count("pk", filter=Q(verdict="ship")),
        points=Sum("score"),
        early=Count("pk", filter=early),
        early_ship=Count("pk", filter=early & Q(verdict="ship")),
        first=Greatest(
            Min("seen"),
            Min(first_seen(Tool, "tool__")),
            Min(first_seen(Category, "tool__category__")),
        ),
    )
    votes, scores = {row.pk: row.value for row in tallies}, _scores(takes)
    return [
        DigestCandidate(
            tool=row["tool_id"],
            slug=row["tool__slug"],
            category=row["tool__category_id"],
            panel=Panel(row["ship"], row["total"] - row["ship"], row["points"]),
            first_verdict_at=row["first"],
            tally=votes.get(row["tool_id"], Tally()),
            before=Tally(row["early_ship"], row["early"] - row["early_ship"]),
            scores=scores.get(row["tool_id"], {}),
        )
        for row in rows
    ]


def _scores(takes: TakeQuerySet) -> dict[int, dict[int, int]]:
    """The scores by tool and reviewer; one query."""
    found: dict[int, dict[int, int]] = {}
    for tool, reviewer, score in takes.order_by().values_list("tool_id", "reviewer_id", "score"):
        if score is not None:  # every public take has one; this is for the type checker
            found.setdefault(tool, {})[reviewer] = score
    return found


def verdict_changes(since: datetime, until: datetime) -> list[VerdictChange]:
    """Every public change of a take by public reviewers that is news; one query."""
    changes = TakeChange.objects.news().by_public_reviewers(until)
    changes = changes.filter(at__gte=since, at__lt=until)
    return [
        VerdictChange(
            tool=change.tool_id,
            reviewer=change.reviewer_id,
            before=change.verdict_before,
            after=change.verdict_after,
            at=change.at,
            score_before=change.score_before,
            score_after=change.score_after,
            reason=change.reason,
        )
        for change in changes.order_by("at", "pk")
    ]
