"""What the site says now about the subject of a report, for the editor who decides."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.urls import reverse

from reviews.models import Take
from shipskip.reports.models import Report
from shipskip.reports.subjects import FACT, PRICES, TAKE
from shipskip.web.text import validate_web_address
from tools.fact_values import answer_as_text
from tools.models import Fact, Plan, Tool
from tools.models.sources import Sourced


@dataclass(frozen=True)
class Statement:
    """One thing that the site says: its name, the words, and where it was read."""

    name: str
    words: str
    source: str = ""
    checked: str = ""


def stated(report: Report) -> Sequence[Statement]:
    """The fact, the prices or the take that a report is about; at most one query."""
    tool = report.tool
    if tool is None:
        return []
    if slug := fact_slug(report):
        facts = Fact.objects.filter(tool=tool, attribute__slug=slug).select_related("attribute")
        return [_of(fact.attribute.name, answer_as_text(fact.answer), fact) for fact in facts]
    if report.about.startswith(PRICES):
        plans = Plan.objects.filter(tool=tool).order_by("position", "pk")
        return [_of(plan.name, plan.price, plan) for plan in plans]
    if take := take_of(report):
        words = " · ".join(filter(None, [f"{take.score}/100", take.verdict, take.because]))
        return [Statement(str(take.reviewer), words)]
    return [Statement("Status", tool.get_status_display(), tool.status_source)]


def edit_url(report: Report) -> str:
    """The screen on which an editor corrects it, with the report's source filled in."""
    if report.tool is None:
        return f"{reverse('admin:tools_tool_add')}?report={report.pk}"
    if take := take_of(report):
        return reverse("admin:reviews_take_change", args=[take.pk])
    url = reverse("admin:tools_tool_change", args=[report.tool.pk])
    part = "#plans-group" if report.about.startswith(PRICES) else "#facts-group"
    return f"{url}?report={report.pk}{part}"


def fact_slug(report: Report) -> str:
    """The slug of the attribute that a report is about; empty if it is about none."""
    return report.about.removeprefix(FACT) if report.about.startswith(FACT) else ""


def take_of(report: Report) -> Take | None:
    """The take that a report is about."""
    if report.tool is None or not report.about.startswith(TAKE):
        return None
    takes = Take.objects.on([report.tool]).in_panel_order()
    return takes.filter(reviewer__slug=report.about.removeprefix(TAKE)).first()


def sources_for(report: Report | None, tool: Tool, kind: type[Sourced]) -> dict[str, str]:
    """The source that a report names, by the slug of the attribute or the name of the plan in whose
    row of the tool's form it is filled in. Empty if it names no address on the web.
    """
    if report is None or report.tool_id != tool.pk or not web_address(report):
        return {}
    if kind is Fact:
        return {slug: report.source} if (slug := fact_slug(report)) else {}
    if report.about.startswith(f"{PRICES}-"):
        return {report.subject: report.source}
    return {}


def fills_in(report: Report) -> bool:
    """Whether the screen of `edit_url` shows the source that the report names."""
    if report.tool is None:
        return bool(web_address(report))
    return any(sources_for(report, report.tool, kind) for kind in (Fact, Plan))


def web_address(report: Report) -> str:
    """Where a reporter says it can be checked, if that is an address on the web."""
    try:
        validate_web_address(report.source)
    except ValidationError:
        return ""
    return report.source


def _of(name: str, words: str, row: Sourced) -> Statement:
    day = row.checked_on
    return Statement(name, words, row.source, f"{day:%Y-%m-%d}" if day else "")
