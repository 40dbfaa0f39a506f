"""Deleted rows: by whom and when, and bringing them back."""

from copy import copy

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from shipskip.editing import history_entries, version_restore
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.history import row_or_last_version
from shipskip.editing.history_entries import Version, VersionQuerySet
from shipskip.editing.moments import moment_in_words
from shipskip.editing.row_locks import is_concurrent_save, locked
from shipskip.editing.states import name_of
from shipskip.editing.version_restore import RestoreRefusedError
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Page, page_or_first
from shipskip.web.publishing import Publishable, Versioned
from shipskip.web.slugs import MAX_LENGTH

CONCURRENT_SAVE = (
    "Another editor saved a similar row at the same moment. Nothing was changed: try again."
)
MAX_GUESSES = 50
STATES = {"draft": "a draft"} | {name: name for name in ("withdrawn", "scheduled", "public")}


class BringBackForm(forms.Form):
    """The new slug of a row whose own is in use."""

    slug = forms.CharField(required=False, max_length=MAX_LENGTH)


@BaseAdmin.page("deleted/", "deleted", require_safe, for_rows=Versioned)
def deleted_view(screen: BaseAdmin[M], request: HttpRequest) -> HttpResponse:
    """The deleted rows, latest first."""
    if not screen.has_view_or_change_permission(request):
        raise PermissionDenied
    form = FilterForm(request.GET)
    chosen = form.validate()
    page = page_or_first(last_versions(screen), chosen, form.notices)
    related = history_entries.related_to(page.rows)
    rows = [
        (version, history_entries.as_row(version, related), history_entries.author_of(version))
        for version in page.rows
    ]
    context = {
        **screen.page_context(request),
        "may_bring_back": screen.has_delete_permission(request),
        "title": f"Deleted {screen.opts.verbose_name_plural}",
        "page": Page(rows, page.number, page.has_next),
        "chosen": chosen,
        "notices": form.notices,
    }
    return TemplateResponse(request, "admin/deleted.html", context)


@BaseAdmin.page(
    "<int:pk>/bring-back/",
    "bring_back",
    require_http_methods(["GET", "HEAD", "POST"]),
    for_rows=Versioned,
)
def bring_back_view(screen: BaseAdmin[M], request: HttpRequest, pk: int) -> HttpResponse:
    """Show the confirmation page on GET; bring a deleted row back on POST. Idempotent."""
    if not screen.has_delete_permission(request):
        raise PermissionDenied
    if screen.model._default_manager.filter(pk=pk).exists():
        messages.info(request, "It is not deleted.")
        return screen.redirect_to("history", pk)
    version = last_versions(screen).filter(id=pk).first()
    if version is None:
        raise Http404
    form = BringBackForm(request.POST)
    reasons: list[str] = []
    if request.method == "POST":
        try:
            if not form.is_valid():
                raise RestoreRefusedError([f"An address has at most {MAX_LENGTH} characters."])
            return _bring_back(screen, request, version, form.cleaned_data["slug"])
        except RestoreRefusedError as refused:
            reasons = refused.reasons
        except DatabaseError as error:
            if not is_concurrent_save(error):
                raise
            reasons = [CONCURRENT_SAVE]
    return _bring_back_page(screen, request, version, reasons)


def _bring_back(
    screen: BaseAdmin[M], request: HttpRequest, version: Version, slug: str
) -> HttpResponse:
    """Bring a row back as this editor, with `slug` or its own."""
    with transaction.atomic():
        row = locked(screen.model._base_manager.filter(pk=version.id)).first()
        row = row or history_entries.as_row(version, history_entries.related_to([version]))
        row.changed_by(request.user)
        if slug and hasattr(row, "slug"):
            row.slug = slug
        version_restore.check_related(row, history_entries.fields_of(version))
        faults = _faults(row)
        if isinstance(row, Publishable):
            if "slug" in faults:
                raise RestoreRefusedError(faults["slug"])
            try:
                with transaction.atomic():
                    row.bring_back(fields={"slug"} if slug and hasattr(row, "slug") else ())
            except IntegrityError:
                reasons = version_restore.in_words(row, faults) or [CONCURRENT_SAVE]
                raise RestoreRefusedError(reasons) from None
        elif faults:
            raise RestoreRefusedError(version_restore.in_words(row, faults))
        else:
            screen.save_fields(row, None, {})
    also = screen.restored_with(row)
    text = f"“{name_of(row)}” is back{f', with {also}' if also else ''}."
    if isinstance(row, Publishable):
        text += f" It is {STATES[row.state(timezone.now())]}."
    messages.success(request, text)
    listed = screen.get_queryset(request).filter(pk=row.pk).exists()
    return screen.redirect_to("change" if listed else "history", row.pk)


def _faults(row: Version) -> dict[str, list[str]]:
    """The validation errors that a deleted row would have if it were back, by field."""
    back = copy(row)
    back.deleted_at = None
    return version_restore.faults_of(back)


def last_versions(screen: BaseAdmin[M]) -> VersionQuerySet:
    """The last version of each deleted row, the latest deletion first."""
    history = screen.model.history
    if screen.soft_deletes:
        deleted = screen.model._base_manager.exclude(deleted_at=None).values("pk")
        last = history.filter(id__in=deleted)
    else:
        still_there = screen.model._base_manager.filter(pk=OuterRef("id"))
        last = history.filter(~Exists(still_there), history_type="-")
    newest = last.order_by().values("id").annotate(last=Max("history_id")).values("last")
    found: VersionQuerySet = history.filter(history_id__in=newest).select_related("history_user")
    return found.order_by("-history_date", "-history_id")


def _bring_back_page(
    screen: BaseAdmin[M], request: HttpRequest, version: Version, reasons: list[str]
) -> HttpResponse:
    """The confirmation page, with a free slug if the row's own is in use."""
    row, _ = row_or_last_version(screen, version.id)
    taken = _faults(row).get("slug", [])
    context = {
        **screen.page_context(request),
        "title": f"Bring back “{name_of(row)}”",
        "object": row,
        "who": history_entries.author_of(version),
        "when": moment_in_words(version.history_date),
        "reasons": reasons,
        "taken": taken,
        "slug": _free_slug(row) if taken else "",
    }
    return TemplateResponse(request, "admin/bring_back.html", context)


def _free_slug(row: Version) -> str:
    """A slug similar to the row's own that no other row uses."""
    other = copy(row)
    for number in range(2, MAX_GUESSES):
        other.slug = f"{row.slug[: MAX_LENGTH - 4].rstrip('-')}-{number}"
        if "slug" not in _faults(other):
            break
    return str(other.slug)
