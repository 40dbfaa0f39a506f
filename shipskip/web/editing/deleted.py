"""What was deleted at the desk, by whom and when, and the way back."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_safe

from shipskip.web.editing import entries, restoring
from shipskip.web.editing.acts import ActsAdmin
from shipskip.web.editing.holding import held, lost_race
from shipskip.web.editing.restoring import RefusedError
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Page, page_or_first
from shipskip.web.slugs import MAX_LENGTH

LOST_RACE = "Somebody saved something like it at the same moment. Nothing was changed: try again."
MOST_GUESSES = 50


class BringBackForm(forms.Form):
    """The address at which a row comes back, where its own is taken."""

    slug = forms.CharField(required=False, max_length=MAX_LENGTH)


class DeletedAdmin(ActsAdmin):
    """A screen that keeps what was deleted."""

    removes_softly = False
    """Whether a deleted row stays in its table (`everything`, `deleted_at`, `remove(now)` and
    `bring_back()`), or only in its history."""

    change_list_template = "admin/rows.html"

    def get_urls(self) -> list[URLPattern]:
        """The list of deleted rows and the way back, before Django's own addresses."""
        return [
            self.own_path("deleted/", self.deleted_view, "deleted"),
            self.own_path("<int:pk>/bring-back/", self.bring_back_view, "bring_back"),
            *super().get_urls(),
        ]

    def returned(self, row: Any) -> str:
        """What came back with a row, in words; empty where it came alone."""
        return ""

    @method_decorator(require_safe)
    def deleted_view(self, request: HttpRequest) -> HttpResponse:
        """The deleted rows, the latest first."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        form = FilterForm(request.GET)
        chosen = form.settle()
        page = page_or_first(self._last_versions(), chosen, form.complaints)
        related = entries.related_to(page.rows)
        rows = [
            (version, entries.as_row(version, related), entries.who(version))
            for version in page.rows
        ]
        context = {
            **self._deleted_context(request),
            "title": f"Deleted {self.opts.verbose_name_plural}",
            "page": Page(rows, page.number, page.has_next),
            "chosen": chosen,
            "complaints": form.complaints,
        }
        return TemplateResponse(request, "admin/deleted.html", context)

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def bring_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Asks, and on POST brings a deleted row back; what is there already stays as it is."""
        if not self.has_delete_permission(request):
            raise PermissionDenied
        if self.model._default_manager.filter(pk=pk).exists():
            messages.info(request, "It is there already.")
            return self.onward("history", pk)
        version = self._last_versions().filter(id=pk).first()
        if version is None:
            raise Http404
        form = BringBackForm(request.POST)
        reasons: list[str] = []
        if request.method == "POST":
            try:
                if not form.is_valid():
                    raise RefusedError([f"An address has at most {MAX_LENGTH} characters."])
                return self._bring_back(request, version, form.cleaned_data["slug"])
            except RefusedError as refused:
                reasons = refused.reasons
            except DatabaseError as error:
                if not lost_race(error):
                    raise
                reasons = [LOST_RACE]
        return self._bring_back_page(request, version, reasons)

    def _bring_back(self, request: HttpRequest, version: Any, slug: str) -> HttpResponse:
        """Bring a row back under the editor's name, at `slug` or where it was."""
        with transaction.atomic():
            back = self._softly if self.removes_softly else self._from_history
            row = back(request, version, slug)
        state = row.state(timezone.now())
        also = self.returned(row)
        messages.success(
            request, f"“{row}” is back{f', with {also}' if also else ''}. It is {_A[state]}."
        )
        listed = self.get_queryset(request).filter(pk=row.pk).exists()
        return self.onward("change" if listed else "history", row.pk)

    def _softly(self, request: HttpRequest, version: Any, slug: str) -> Any:
        row = held(self.model._base_manager.all()).get(pk=version.id)
        row._history_user = request.user
        moment, was = row.deleted_at, row.slug
        row.deleted_at, row.slug = None, slug or row.slug
        if faults := restoring.faults_of(row).get("slug"):
            raise RefusedError(faults)
        row.deleted_at = moment
        if row.slug != was:
            row.save_without_historical_record(update_fields=["slug"])
        row.bring_back()
        return row

    def _from_history(self, request: HttpRequest, version: Any, slug: str) -> Any:
        """The row of its last version, with its primary key, as a draft or withdrawn."""
        restoring.check_related(version, entries.fields_of(version))
        row = self._as_it_was(version)
        row._history_user = request.user
        if slug and hasattr(row, "slug"):
            row.slug = slug
        if faults := restoring.faults_of(row):
            raise RefusedError(restoring.in_words(row, faults))
        row.save(force_insert=True)
        return row

    def _as_it_was(self, version: Any) -> Any:
        """What the last version of a row says, and that nobody may read it for now."""
        row = entries.as_row(version, entries.related_to([version]))
        if row.published_at and row.published_at <= version.history_date:
            row.withdrawn_at = version.history_date
        row.published_at = None
        return row

    def _last_versions(self) -> "QuerySet[Any]":
        """The last version of each deleted row, the latest deletion first."""
        history = self.model.history
        if self.removes_softly:
            deleted = self.model._base_manager.exclude(deleted_at=None).values("pk")
            last = history.filter(id__in=deleted)
        else:
            still_there = self.model._base_manager.filter(pk=OuterRef("id"))
            last = history.filter(~Exists(still_there), history_type="-")
        newest = last.order_by().values("id").annotate(last=Max("history_id")).values("last")
        found: QuerySet[Any] = history.filter(history_id__in=newest).select_related("history_user")
        return found.order_by("-history_date", "-history_id")

    def _bring_back_page(
        self, request: HttpRequest, version: Any, reasons: list[str]
    ) -> HttpResponse:
        """The question, with a free address where the row's own is taken."""
        row = self._as_it_was(version)
        if self.removes_softly:
            row.deleted_at = None
        taken = restoring.faults_of(row).get("slug", [])
        context = {
            **self._deleted_context(request),
            "title": f"Bring back “{row}”",
            "object": row,
            "who": entries.who(version),
            "when": entries.moment_in_words(version.history_date),
            "reasons": reasons,
            "taken": taken,
            "slug": self._free_slug(row) if taken else "",
        }
        return TemplateResponse(request, "admin/bring_back.html", context)

    def _free_slug(self, row: Any) -> str:
        """An address like the row's own that nothing else has."""
        was = row.slug
        for number in range(2, MOST_GUESSES):
            row.slug = f"{was[: MAX_LENGTH - 4].rstrip('-')}-{number}"
            if "slug" not in restoring.faults_of(row):
                break
        free, row.slug = row.slug, was
        return str(free)

    def _deleted_context(self, request: HttpRequest) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "may_bring_back": self.has_delete_permission(request),
        }


_A = {"draft": "a draft", "withdrawn": "withdrawn", "scheduled": "scheduled", "public": "public"}
