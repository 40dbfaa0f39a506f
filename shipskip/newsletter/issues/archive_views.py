"""Past issues, for everybody to read."""

from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from shipskip.newsletter.issues.letters import letter_of
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_or_first


@require_safe
@public(query=FilterForm.base_fields)
def archive(request: HttpRequest) -> HttpResponse:
    """Every issue that went out, newest first."""
    form = FilterForm(request.GET)
    chosen = form.validate()
    page = page_or_first(Issue.objects.for_archive(), chosen, form.complaints)
    context = {"page": page, "chosen": chosen, "complaints": form.complaints}
    return not_cached(render(request, "newsletter/archive.html", context), when=form.complaints)


@require_safe
@public
def issue(request: HttpRequest, day: date) -> HttpResponse:
    """One issue as it was sent: the words and numbers of its day."""
    row = get_object_or_404(Issue.objects.for_archive(), date=day)
    parts = [entry.facts for entry in row.entries.kept()]
    return render(request, "newsletter/issue.html", {"letter": letter_of(row, parts)})
