"""Pages of the panel and its reviewers."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews.models import MAX_SHARED, Reviewer, Take
from reviews.reviewer_profile import (
    MIN_SHARED,
    agreements,
    by_category,
    score_bars,
    stats_of,
)
from reviews.scoring import ReviewerStats
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import CategoryFilterForm
from shipskip.web.paging import page_or_first
from shipskip.web.preview_pages import Preview
from tools.models import Category


@require_safe
@public
def reviewers(request: HttpRequest) -> HttpResponse:
    """The panel: every reviewer with their ship rate and mean score."""
    now = timezone.now()
    rows = list(Reviewer.objects.published(now))
    totals = Take.objects.published(now).on_public_tools(now).totals_by_reviewer()
    panel = [(row, ReviewerStats(**totals.get(row.pk, {}))) for row in rows]
    return render(request, "reviews/list.html", {"panel": panel})


@require_safe
@public(query=CategoryFilterForm.base_fields)
def reviewer(request: HttpRequest, slug: str) -> HttpResponse:
    """One reviewer: what wins and loses them, their figures and their takes."""
    now = timezone.now()
    row = get_object_or_404(Reviewer.objects.published(now), slug=slug)
    context, notices = _reviewer_context(row, request.GET, now)
    return not_cached(render(request, "reviews/detail.html", context), when=notices)


def preview_of_reviewer(request: HttpRequest, row: Reviewer, now: datetime) -> HttpResponse:
    """The preview of a reviewer's first page, for a transaction in which they are public."""
    context, _ = _reviewer_context(row, QueryDict(), now)
    context["preview"] = Preview(row, [], None, now)
    return render(request, "reviews/detail.html", context)


def _reviewer_context(
    row: Reviewer, query: QueryDict, now: datetime
) -> tuple[dict[str, object], list[str]]:
    """The context of a reviewer's page, with the messages about invalid values."""
    categories = list(Category.objects.published(now))
    form = CategoryFilterForm(query, categories)
    chosen = form.validate()
    takes = Take.objects.for_reviewer_page(row, now)
    counts = Take.objects.published(now).by(row).on_public_tools(now).counts()
    category = next((c for c in categories if c.slug == chosen["category"]), None)
    if category:
        takes = takes.in_category(category)
    page = page_or_first(takes, chosen, form.notices)
    context: dict[str, object] = {
        "reviewer": row,
        "category": category,
        "stats": stats_of(counts, category),
        "page": page,
        "form": form,
        "chosen": chosen,
        "notices": form.notices,
    }
    if page.number == 1 and not category:
        others = list(Reviewer.objects.published(now))
        shared = Take.objects.published(now).shared_with(row, now)
        context["bars"] = score_bars(counts)
        context["categories"] = by_category(counts, categories)
        context["agreements"] = agreements(others, shared)
        context |= {"min_shared": MIN_SHARED, "most_shared": f"{MAX_SHARED:,}"}
    return context, form.notices
