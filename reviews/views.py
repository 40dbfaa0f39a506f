"""Pages of the panel and its reviewers."""

from collections import Counter
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews.models import Reviewer as ReviewerRow
from reviews.reviewer_profile import (
    MAX_SHARED,
    MIN_SHARED,
    agreements,
    by_category,
    score_bars,
    stats_of,
)
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.page_objects import public_reviewer
from shipskip.content.personas import persona_line
from shipskip.content.records import Reviewer, Take
from shipskip.content.share_picture import picture_of_reviewer
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import CategoryFilterForm
from shipskip.web.paging import page_or_first
from shipskip.web.preview_pages import Preview
from shipskip.web.twins import with_twins


@require_safe
@public
@with_content
def reviewers(request: HttpRequest, content: Content) -> HttpResponse:
    """The panel: every reviewer with their ship rate and mean score."""
    counts = content.counts_by_reviewer
    panel = [(row, stats_of(counts.get(row.pk, {}))) for row in content.reviewers]
    context = {"panel": panel, "personas": persona_line(len(panel), content.bases)}
    return render(request, "reviews/list.html", context)


@require_safe
@public(query=CategoryFilterForm.base_fields)
@with_twins("md", "json")
@with_content
def reviewer(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """One reviewer: what wins and loses them, their figures and their takes."""
    row = public_reviewer(content, slug)
    context, notices = _reviewer_context(content, row, request.GET)
    context["picture"] = picture_of_reviewer(row, content)
    return not_cached(render(request, "reviews/detail.html", context), when=notices)


def preview_of_reviewer(
    request: HttpRequest, content: Content, reviewer: ReviewerRow
) -> HttpResponse:
    """The preview of a reviewer's first page, with the content of a transaction in which they are
    public.
    """
    row = public_reviewer(content, reviewer.slug)
    context, _ = _reviewer_context(content, row, QueryDict())
    context["preview"] = Preview(reviewer, [], None, content.now)
    return render(request, "reviews/detail.html", context)


def _reviewer_context(
    content: Content, row: Reviewer, query: QueryDict
) -> tuple[dict[str, object], list[str]]:
    """The context of a reviewer's page, with the messages about invalid values."""
    form = CategoryFilterForm(query, content.categories)
    chosen = form.validate()
    all_takes = _takes(content, row)
    counts = content.counts_by_reviewer.get(row.pk, {})
    category = content.category(chosen["category"]) if chosen["category"] else None
    takes = all_takes
    if category:
        takes = [take for take in takes if content.tool_of(take).category is category]
    page = page_or_first(takes, chosen, form.notices)
    tools = content.full([content.tool_of(take) for take in page.rows])
    context: dict[str, object] = {
        "reviewer": row,
        "dates": content.dates_of_reviewer(row),
        "category": category,
        "personas": persona_line(1, Counter(take.basis for take in takes)),
        "stats": stats_of(counts, category),
        "page": page,
        "takes": [
            (tool, take, tool.remark_on(take)) for tool in tools if (take := tool.take_by(row))
        ],
        "form": form,
        "chosen": chosen,
        "notices": form.notices,
    }
    if page.number == 1 and not category:
        context["bars"] = score_bars(counts)
        context["categories"] = by_category(counts, content.categories)
        context["agreements"] = agreements(content.reviewers, _shared(content, row, all_takes))
        context |= {"min_shared": MIN_SHARED, "most_shared": f"{MAX_SHARED:,}"}
    return context, form.notices


def _takes(content: Content, reviewer: Reviewer) -> Sequence[Take]:
    """A reviewer's takes, newest first."""
    return content.takes_by_reviewer.get(reviewer.pk, ())


def _shared(
    content: Content, reviewer: Reviewer, takes: Sequence[Take]
) -> dict[int, tuple[int, int]]:
    """For each other reviewer, by primary key: on how many tools one of the newest MAX_SHARED takes
    of `reviewer` is too, and how many of those have the same verdict.
    """
    shared: Counter[int] = Counter()
    same: Counter[int] = Counter()
    for take in takes[:MAX_SHARED]:
        for other in content.tool_of(take).takes:
            if other.reviewer is not reviewer:
                shared[other.reviewer.pk] += 1
                same[other.reviewer.pk] += other.verdict == take.verdict
    return {pk: (number, same[pk]) for pk, number in shared.items()}
