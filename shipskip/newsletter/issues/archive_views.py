"""The archive of past issues."""

from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from shipskip.content.current import content_of
from shipskip.content.records import PageDates
from shipskip.content.starting_points import starting_points
from shipskip.newsletter.issues.mail_rendering import issue_mail
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_or_first


@require_safe
@public(query=FilterForm.base_fields)
def archive(request: HttpRequest) -> HttpResponse:
    """Every issue that was sent, newest first."""
    form = FilterForm(request.GET)
    chosen = form.validate()
    page = page_or_first(Issue.objects.for_archive(), chosen, form.notices)
    context = {
        "page": page,
        "chosen": chosen,
        "notices": form.notices,
        "start": None if page.rows else starting_points(content_of(request)),
    }
    return not_cached(render(request, "newsletter/archive.html", context), when=form.notices)


@require_safe
@public
def issue(request: HttpRequest, day: date) -> HttpResponse:
    """One issue as it was sent, with its texts and numbers of that day, and a later correction."""
    row = get_object_or_404(Issue.objects.for_archive(), date=day)
    parts = [entry.facts for entry in row.entries.included()]
    mail = issue_mail(row, parts)
    context = {"mail": mail, "correction": row.correction, "corrected_at": row.corrected_at}
    context["dates"] = PageDates(row.frozen_at, row.changed_at)
    return render(request, "newsletter/issue.html", context)
