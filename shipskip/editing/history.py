"""The history pages of a row: who changed what and when, and restoring a version."""

from collections.abc import Callable
from copy import copy
from datetime import datetime

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.models import Model
from django.forms import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.text import capfirst

from shipskip.editing import history_entries, version_restore
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.editing.fields import ReasonField
from shipskip.editing.history_entries import Version
from shipskip.editing.moments import moment_in_words
from shipskip.editing.row_locks import is_concurrent_save, locked
from shipskip.editing.version_restore import RestoreRefusedError
from shipskip.web.filters import FilterForm

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
    """The state that the editor saw, and the public reason."""

    seen = forms.CharField()
    reason = ReasonField(
        help_text="One line for the public record: readers could see what this changes.",
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
    )


def history_view(screen: BaseAdmin[M], request: HttpRequest, pk: str) -> HttpResponse:
    """The history of a row, newest first; also of a deleted one."""
    row, is_deleted = _row(screen, pk)
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
        **_context(screen, request, row, is_deleted=is_deleted),
        "title": f"History of “{row}”",
        "page": page,
        "chosen": chosen,
        "notices": form.notices,
    }
    return TemplateResponse(request, "admin/history.html", context)


def version_view(
    screen: ContentAdmin[P], request: HttpRequest, pk: int, version: int
) -> HttpResponse:
    """All values of one version, and the form that restores it."""
    row, _ = _row(screen, pk)
    if not screen.has_view_or_change_permission(request, row):
        raise PermissionDenied
    return _version_page(screen, request, _version(screen, pk, version), [])


def restore_view(
    screen: ContentAdmin[P], request: HttpRequest, pk: int, version: int
) -> HttpResponse:
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
    screen: ContentAdmin[P], request: HttpRequest, row: P, version: Version, now: datetime
) -> None:
    """Restore as this editor and add messages; raises RestoreRefusedError with reasons."""
    form, before = RestoreForm(request.POST), copy(row)
    when = moment_in_words(version.history_date)
    fields = version_restore.differing_fields(row, version, screen.fixed_fields)
    if not fields:
        messages.info(request, f"“{row}” already has its values of {when}.")
        return
    if not form.is_valid() and "reason" in form.errors:
        raise RestoreRefusedError([str(fault) for fault in form.errors["reason"]])
    if form.cleaned_data.get("seen") != version_restore.row_hash(row):
        raise RestoreRefusedError([CHANGED_MEANWHILE])
    reason = form.cleaned_data["reason"]
    if screen.restore_needs_reason(row, version, now):
        _check_public_record(screen, request, reason)
    note = version_restore.set_values(row, version, fields)
    _check_public(screen, row, before, now)
    row.changed_by(request.user, f"Restored the version of {when}")
    screen.save_fields(row, [each.name for each in fields], model_to_dict(before))
    screen.after_restore(row, before, reason, now)
    messages.success(request, f"“{row}” has its values of {when} again.")
    if note:
        messages.warning(request, note)


def _check_public_record(screen: ContentAdmin[P], request: HttpRequest, reason: str) -> None:
    """Only publishers may change what was public, and only with a reason."""
    if not screen.has_publish_permission(request):
        raise RestoreRefusedError([PUBLISHERS_ALONE])
    if not reason:
        raise RestoreRefusedError([NEEDS_REASON])


def _check_public(screen: ContentAdmin[P], row: P, before: P, now: datetime) -> None:
    """Refuse values that a public or scheduled row may not have."""
    if row.published_at is None:
        return
    moment = max(now, row.published_at)
    reason = screen.publication_obstacles([row], moment).get(row.pk)
    if reason and not screen.publication_obstacles([before], moment):
        raise RestoreRefusedError(
            [f"It is public or scheduled, so it cannot be restored: {reason}"]
        )


def _version_page(
    screen: ContentAdmin[P], request: HttpRequest, version: Version, notices: list[str]
) -> HttpResponse:
    row, is_deleted = _row(screen, version.id)
    now = timezone.now()
    related = history_entries.related_to([version, row])
    fields = (
        [] if is_deleted else version_restore.differing_fields(row, version, screen.fixed_fields)
    )
    form = RestoreForm(request.POST or None)
    when = moment_in_words(version.history_date)
    context = {
        **_context(screen, request, row, is_deleted=is_deleted),
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
        "needs_reason": bool(fields) and screen.restore_needs_reason(row, version, now),
        "seen": "" if is_deleted else version_restore.row_hash(row),
        "notices": notices,
    }
    return TemplateResponse(request, "admin/version.html", context)


def _context(
    screen: BaseAdmin[M], request: HttpRequest, row: M, *, is_deleted: bool
) -> dict[str, object]:
    """The context that the history pages share."""
    return {
        **screen.page_context(request),
        "object": row,
        "is_deleted": is_deleted,
        "may_bring_back": is_deleted and screen.has_delete_permission(request),
    }


def _row(screen: BaseAdmin[M], pk: str | int) -> tuple[M, bool]:
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


def _version(screen: ContentAdmin[P], pk: int, version: int) -> Version:
    history = screen.model.history.filter(id=pk)
    found = history.select_related("history_user").filter(history_id=version).first()
    if found is None:
        raise Http404
    return found


def _subject_in(screen: BaseAdmin[M], obj: M) -> Callable[[Model], str]:
    """Return a function that names the subject of an entry; empty for the row itself."""
    return lambda row: "" if isinstance(row, type(obj)) else screen.subject_of(row)
