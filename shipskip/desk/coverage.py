"""Coverage table: one row per tool, one column per reviewer, each cell links to a take.

The page object receives all its data and makes no queries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe

from reviews.models import Reviewer, Take
from shipskip.desk.missing_takes import MissingTakes, count_missing_takes, panel_at
from shipskip.editing.states import STATES, in_state
from shipskip.search.models import SearchKind
from shipskip.search.searching import Scope, search
from shipskip.web.filters import CategoryFilterForm
from shipskip.web.paging import Page, page_or_first
from tools.models import Category, Tool, ToolQuerySet
from tools.models.sources import STALE_AFTER_DAYS

PAGE_SIZE = 50
MAX_FOUND = 1_000
"""The list filters only this many results of a search."""


class CoverageForm(CategoryFilterForm):
    """`q`, `what`, `reviewer`, `category`, `state`, `sort` and `page` of the table."""

    q = forms.CharField(label="Search", required=False, max_length=100)
    what = forms.ChoiceField(
        label="Kind of take",
        required=False,
        choices=[("", "All"), ("missing", "Missing"), ("draft", "Draft"), ("old", "Old")],
    )
    reviewer = forms.ChoiceField(label="Reviewer", required=False)
    state = forms.ChoiceField(
        label="State of the tool",
        required=False,
        choices=[("", "Any state"), *STATES.items()],
    )
    sort = forms.ChoiceField(
        label="Order", required=False, choices=[("name", "Name"), ("newest", "Newest first")]
    )

    field_order = ["q", "what", "reviewer", "category", "state", "sort"]

    def __init__(
        self, data: QueryDict, categories: Sequence[Category], reviewers: Sequence[Reviewer]
    ) -> None:
        super().__init__(data, categories)
        choices = [("", "All reviewers"), *((row.slug, row.name) for row in reviewers)]
        self.fields["reviewer"].choices = choices  # type: ignore[attr-defined]


@dataclass(frozen=True)
class CoverageCell:
    """One reviewer's take on one tool as text, with a link to edit it if permitted."""

    kind: str
    """`written`, `old`, `draft`, `scheduled`, `withdrawn` or `missing`."""
    words: str
    note: str = ""
    url: str = ""


@dataclass(frozen=True)
class CoverageRow:
    """A tool with its state as text, and a cell for each reviewer."""

    tool: Tool
    state: str
    cells: Sequence[tuple[Reviewer, CoverageCell]]


@dataclass(frozen=True)
class CoverageColumn:
    """A reviewer, and a note if they are not on the panel yet."""

    reviewer: Reviewer
    note: str


@dataclass(frozen=True)
class Totals:
    """Numbers of takes that are missing, drafts or old."""

    missing: MissingTakes
    drafts: int
    old: int


@dataclass(frozen=True)
class Coverage:
    """All data of the table at `now`.

    `reviewers` in panel order, `tools` in the page's order with their categories, `takes` those of
    these reviewers on these tools; `may_change` and `may_add` are the editor's permissions.
    """

    now: datetime
    reviewers: Sequence[Reviewer]
    tools: Sequence[Tool]
    takes: Sequence[Take]
    may_change: Callable[[Take], bool]
    may_add: bool
    back: str = ""
    """The query string of this page, to return to after a take is saved."""

    @cached_property
    def columns(self) -> list[CoverageColumn]:
        """A column for each reviewer."""
        return [CoverageColumn(row, self._note_on(row)) for row in self.reviewers]

    @cached_property
    def rows(self) -> list[CoverageRow]:
        """A row for each tool."""
        by_place = {(take.tool_id, take.reviewer_id): take for take in self.takes}
        return [
            CoverageRow(
                tool,
                state_of(tool, self.now),
                [
                    (reviewer, self._cell(tool, reviewer, by_place.get((tool.pk, reviewer.pk))))
                    for reviewer in self.reviewers
                ],
            )
            for tool in self.tools
        ]

    def _note_on(self, reviewer: Reviewer) -> str:
        state = reviewer.state(self.now)
        return "" if state == "public" else f"{state}, not counted"

    def _cell(self, tool: Tool, reviewer: Reviewer, take: Take | None) -> CoverageCell:
        if take is None:
            place = {"tool": tool.pk, "reviewer": reviewer.pk, "back": self.back}
            url = f"{self._add_url}?{urlencode(place)}" if self.may_add else ""
            return CoverageCell("missing", "missing", url=url)
        take.tool, take.reviewer = tool, reviewer
        url = self._change_url.replace("/0/", f"/{take.pk}/") if self.may_change(take) else ""
        url += url and f"?{urlencode({'back': self.back})}"
        return CoverageCell(*words_of(take, self.now), url=url)

    @cached_property
    def _add_url(self) -> str:
        return reverse("admin:reviews_take_add")

    @cached_property
    def _change_url(self) -> str:
        # Resolved once: a page has hundreds of cells.
        return reverse("admin:reviews_take_change", args=[0])


def words_of(take: Take, now: datetime) -> tuple[str, str, str]:
    """Kind, text and note of a take's cell."""
    state = take.state(now)
    if state == "scheduled" and take.published_at:
        return state, f"scheduled {day_in_words(take.published_at, now)}", ""
    if state != "public":
        is_whole = take.score is not None and take.verdict
        return state, state, "" if is_whole else "unfinished"
    words = f"{take.score} {take.verdict}"
    checked = take.checked_at or take.published_at
    if checked and take.is_old(now):
        return "old", words, f"old: {day_in_words(checked, now)}"
    return "written", words, ""


def state_of(tool: Tool, now: datetime) -> str:
    """The state of a tool as text; `tool.category` is loaded."""
    state = tool.state(now)
    if state == "scheduled" and tool.published_at:
        return f"scheduled {day_in_words(tool.published_at, now)}"
    if state == "public" and tool.category.state(now) != "public":
        return "hidden: its category is not public"
    return state


def day_in_words(moment: datetime | date, now: datetime) -> str:
    """A day in the editor's zone, with the year unless it is this one: `3 May`, `3 May 2025`."""
    day = timezone.localtime(moment).date() if isinstance(moment, datetime) else moment
    return f"{day.day} {day:%b}" if day.year == now.year else f"{day.day} {day:%b %Y}"


def may_see(request: HttpRequest) -> bool:
    """Whether this editor may view tools and takes."""
    return bool(request.user.has_perms(["tools.view_tool", "reviews.view_take"]))


@require_safe
def coverage(request: HttpRequest) -> HttpResponse:
    """The table of tools by reviewers, filtered, sorted and paged."""
    if not may_see(request):
        raise PermissionDenied
    now = timezone.now()
    reviewers = list(Reviewer.objects.not_withdrawn())
    categories = list(Category.objects.all())
    form = CoverageForm(request.GET, categories, reviewers)
    chosen = form.validate()
    category = next((row for row in categories if row.slug == chosen["category"]), None)
    shown = [row for row in reviewers if row.slug == chosen["reviewer"]] or reviewers
    tools = filtered(chosen, shown, category, now)
    page = page_or_first(tools, chosen, form.notices, PAGE_SIZE)
    takes = list(Take.objects.on(page.rows).by_any(shown).defer("body")) if page.rows else []
    context = {
        **admin.site.each_context(request),
        "title": "Coverage",
        "form": form,
        "chosen": chosen,
        "notices": form.notices,
        "narrowed": any(chosen[key] for key in ("q", "what", "reviewer", "category", "state")),
        "page": page,
        "table": table_for(request, shown, page, takes, now),
        "totals": totals_at(now, reviewers),
        "stale_after": STALE_AFTER_DAYS,
        "may_add_tool": request.user.has_perm("tools.add_tool"),
    }
    return render(request, "admin/coverage.html", context)


def table_for(
    request: HttpRequest,
    reviewers: Sequence[Reviewer],
    page: Page[Tool],
    takes: Sequence[Take],
    now: datetime,
) -> Coverage:
    """The table with this editor's permissions, as the admin class of takes defines them."""
    screen = admin.site.get_model_admin(Take)
    return Coverage(
        now=now,
        reviewers=reviewers,
        tools=page.rows,
        takes=takes,
        may_change=lambda take: screen.has_change_permission(request, take),
        may_add=screen.has_add_permission(request),
        back=request.GET.urlencode(),
    )


def totals_at(now: datetime, reviewers: Sequence[Reviewer]) -> Totals:
    """Numbers of missing, draft and old takes at `now`; four queries."""
    takes = Take.objects.for_editors()
    return Totals(
        missing=count_missing_takes(panel_at(reviewers, now), now),
        drafts=takes.draft().count(),
        old=takes.old(now).count(),
    )


def found_tools(tools: ToolQuerySet, text: str) -> ToolQuerySet:
    """The tools that a search finds; all without a text."""
    if not text:
        return tools
    found = search(text, Scope(None, [SearchKind.TOOL], limit=MAX_FOUND))
    return tools.filter(pk__in=found.keys(SearchKind.TOOL))


def filtered(
    chosen: dict[str, Any],
    reviewers: Sequence[Reviewer],
    category: Category | None,
    now: datetime,
) -> ToolQuerySet:
    """The tools that match the filters, in the chosen order, with their categories.

    `reviewers` are those of the displayed columns.
    """
    tools = Tool.objects.select_related("category").defer("description", "best_for")
    if chosen["state"] == "public":
        tools = tools.published(now)  # hidden ones have a state of their own in the table
    else:
        tools = in_state(tools, chosen["state"], now)
    if category:
        tools = tools.in_category(category)
    tools = found_tools(tools, chosen["q"])
    takes = Take.objects.by_any(reviewers)
    if chosen["what"] == "missing":
        expected = reviewers if chosen["reviewer"] else panel_at(reviewers, now)
        tools = Take.objects.missing_on(tools, expected)
    elif chosen["what"] == "draft":
        tools = takes.draft().tools_with_takes(tools)
    elif chosen["what"] == "old":
        tools = takes.old(now).tools_with_takes(tools)
    return tools.latest_first() if chosen["sort"] == "newest" else tools.by_name()
