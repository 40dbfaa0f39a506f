"""The history of a row, the page of one version, and restoring it."""

from collections.abc import Callable
from copy import copy
from datetime import datetime

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, models, transaction
from django.forms import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_POST, require_safe

from shipskip.editing import history_entries, version_restore
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.edit_conflicts import Versions
from shipskip.editing.fields import ReasonField
from shipskip.editing.history_entries import Version
from shipskip.editing.moments import moment_in_words
from shipskip.editing.permissions import may_publish
from shipskip.editing.row_locks import is_concurrent_save, locked
from shipskip.editing.states import name_of
from shipskip.editing.version_restore import RestoreRefusedError
from shipskip.web.filters import FilterForm
from shipskip.web.publishing import Publishable, Versioned

VERSION = "<int:pk>/history/<int:version>/"
NEEDS_REASON = "Give the reason in one line; readers of the tool’s page see it."
CHANGED_MEANWHILE = (
    "Another editor saved this while you were reading. Nothing was changed: check what restoring "
    "would change now, then decide again."
)
PUBLISHERS_ALONE = (
    "Readers could see what this changes, so the change appears on the public record: ask "
    "a publisher to make it."
)
CONCURRENT_SAVE = "Another editor saved this at the same moment. Nothing was changed: try again."


class RestoreForm(forms.Form):
    """The newest version when the editor saw the page, and the public reason."""

    history_id = forms.CharField()
    reason = ReasonField(
        help_text="One line for the public record: readers could see what this changes.",
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
    )


@BaseAdmin.page("<path:pk>/history/", "history", require_safe, for_rows=Versioned)
def history_view(screen: BaseAdmin[M], request: HttpRequest, pk: str) -> HttpResponse:
    """The history of a row, newest first; also of a deleted one."""
    row, is_deleted = row_or_last_version(screen, pk)
    if not screen.has_view_or_change_permission(request, row):
        raise PermissionDenied
    form = FilterForm(request.GET)
    chosen = form.validate()
    histories = screen.histories(row)
    page = history_entries.timeline(histories, _subject_in(screen, row), chosen["page"])
    if not page.rows and page.number > 1:
        form.notices.append(f"There is no page {page.number}; this is the first.")
        chosen["page"] = 1
        page = history_entries.timeline(histories, _subject_in(screen, row), 1)
    context = {
        **history_context(screen, request, row, is_deleted=is_deleted),
        "title": f"History of “{name_of(row)}”",
        "page": page,
        "entries": zip(page.rows, screen.reentry_urls(request, row, page.rows), strict=True),
        "chosen": chosen,
        "notices": form.notices,
    }
    return TemplateResponse(request, "admin/history.html", context)


def history_context(
    screen: BaseAdmin[M], request: HttpRequest, row: M, *, is_deleted: bool
) -> dict[str, object]:
    """The context that the history pages share."""
    return {
        **screen.page_context(request),
        "object": row,
        "is_deleted": is_deleted,
        "may_bring_back": is_deleted and screen.has_delete_permission(request),
    }


def row_or_last_version(screen: BaseAdmin[M], pk: str | int) -> tuple[M, bool]:
    """A row and whether it is deleted; without a row in the table, its last version."""
    rows = screen.model._base_manager
    try:
        row = rows.filter(pk=pk).first()
    except ValueError:
        raise Http404 from None
    if row is not None:
        return row, bool(getattr(row, "deleted_at", None))
    last = screen.model.history.filter(id=pk).first()
    if last is None:
        raise Http404
    return history_entries.as_row(last, history_entries.related_to([last])), True


def _subject_in(screen: BaseAdmin[M], obj: M) -> Callable[[models.Model], str]:
    """Return a function that names the subject of an entry; empty for the row itself."""
    return lambda row: "" if isinstance(row, type(obj)) else screen.subject_of(row)


@BaseAdmin.page(VERSION, "version", require_safe, for_rows=Versioned)
def version_view(screen: BaseAdmin[M], request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """All values of one version, and the form that restores it."""
    row, _ = row_or_last_version(screen, pk)
    if not screen.has_view_or_change_permission(request, row):
        raise PermissionDenied
    return _version_page(screen, request, _version(screen, pk, version), [])


@BaseAdmin.page(f"{VERSION}restore/", "restore", require_POST, for_rows=Versioned)
def restore_view(screen: BaseAdmin[M], request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Restore a version's values. Idempotent; never publishes."""
    chosen, now = _version(screen, pk, version), timezone.now()
    try:
        with transaction.atomic():
            screen.lock_parents([pk])
            row = locked(screen.model._base_manager.filter(pk=pk)).first()
            if row is None or getattr(row, "deleted_at", None):
                raise RestoreRefusedError(["It is deleted: bring it back first."])
            if not screen.has_change_permission(request, row):
                raise PermissionDenied
            _restore(screen, request, row, chosen, now)
    except RestoreRefusedError as refused:
        return _version_page(screen, request, chosen, refused.reasons)
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
        return _version_page(screen, request, chosen, [CONCURRENT_SAVE])
    return screen.redirect_to("history", pk)


def _restore(
    screen: BaseAdmin[M], request: HttpRequest, row: Version, version: Version, now: datetime
) -> None:
    """Restore as this editor and add messages; raises RestoreRefusedError with reasons."""
    form, before = RestoreForm(request.POST), copy(row)
    when = moment_in_words(version.history_date)
    fields = version_restore.differing_fields(row, version, screen.fixed_fields)
    if not fields:
        messages.info(request, f"“{name_of(row)}” already has its values of {when}.")
        return
    if not form.is_valid() and "reason" in form.errors:
        raise RestoreRefusedError([str(fault) for fault in form.errors["reason"]])
    if form.cleaned_data.get("history_id") != Versions(type(row), [row.pk]).newest(row.pk):
        raise RestoreRefusedError([CHANGED_MEANWHILE])
    reason = form.cleaned_data["reason"]
    if screen.restore_needs_reason(row, version, now):
        _check_public_record(screen, request, reason)
    note = version_restore.set_values(row, version, fields)
    if fault := screen.restore_fault(row, before, now):
        raise RestoreRefusedError([fault])
    row.changed_by(request.user, f"Restored the version of {when}")
    screen.save_fields(row, [each.name for each in fields], model_to_dict(before), reason)
    messages.success(request, f"“{name_of(row)}” has its values of {when} again.")
    if note:
        messages.warning(request, note)


def _check_public_record(screen: BaseAdmin[M], request: HttpRequest, reason: str) -> None:
    """Only publishers may change what was public, and only with a reason."""
    if not may_publish(request, screen.opts):
        raise RestoreRefusedError([PUBLISHERS_ALONE])
    if not reason:
        raise RestoreRefusedError([NEEDS_REASON])


def _version_page(
    screen: BaseAdmin[M], request: HttpRequest, version: Version, notices: list[str]
) -> HttpResponse:
    row, is_deleted = row_or_last_version(screen, version.id)
    now = timezone.now()
    related = history_entries.related_to([version, row])
    fields = (
        [] if is_deleted else version_restore.differing_fields(row, version, screen.fixed_fields)
    )
    form = RestoreForm(request.POST or None)
    when = moment_in_words(version.history_date)
    context = {
        **history_context(screen, request, row, is_deleted=is_deleted),
        "title": f"“{history_entries.as_row(version, related)}” on {when}",
        "version": version,
        "who": history_entries.author_of(version),
        "when": when,
        "state": history_entries.state_of(version),
        "values": [
            (capfirst(str(each.verbose_name)), history_entries.value_of(version, each, related))
            for each in history_entries.fields_of(version)
        ],
        "changes": history_entries.changed_values(row, version, fields, related),
        "may_change": not is_deleted and screen.has_change_permission(request, row),
        "form": form,
        "is_public": isinstance(row, Publishable) and row.state(now) == "public",
        "needs_reason": bool(fields) and screen.restore_needs_reason(row, version, now),
        "history_id": Versions(type(row), [row.pk]).newest(row.pk),
        "notices": notices,
    }
    return TemplateResponse(request, "admin/version.html", context)


def _version(screen: BaseAdmin[M], pk: int, version: int) -> Version:
    history = screen.model.history.filter(id=pk)
    found = history.select_related("history_user").filter(history_id=version).first()
    if found is None:
        raise Http404
    return found
