"""Deletion in the admin: confirm, list what is deleted too, and offer to withdraw instead."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from shipskip.editing.actions import too_many
from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.editing.deletion_counts import DependentCount, in_words
from shipskip.editing.row_locks import is_concurrent_save
from shipskip.editing.trash import CONCURRENT_SAVE

NOT_CONFIRMED = "Nothing was deleted: tick the box to confirm."


@dataclass(frozen=True)
class Deletion(Generic[P]):
    """Rows to delete, and everything that depends on them."""

    rows: Sequence[P]
    dependents: list[DependentCount]
    blockers: list[DependentCount]
    forbidden: list[P]
    """Rows that this editor may not delete."""
    error: str = ""
    """Why a confirmed deletion was not done."""
    done: bool = False

    @property
    def dependents_in_words(self) -> str:
        """What is deleted along with the rows, in words; empty if nothing."""
        return in_words([str(each) for each in self.dependents])

    @property
    def blockers_in_words(self) -> str:
        """What must be moved or deleted first, in words."""
        return in_words([str(each) for each in self.blockers])

    @property
    def to_confirm(self) -> str:
        """What needs a separate confirmation, in words."""
        return in_words([str(each) for each in self.dependents if each.needs_confirmation])


class ConfirmDeletionForm(forms.Form):
    """The checkbox of the separate confirmation."""

    sure = forms.BooleanField(required=False)


def delete_view(screen: ContentAdmin[P], request: HttpRequest, pk: str) -> HttpResponse:
    """Show the confirmation page on GET; delete on POST if everything is confirmed."""
    row = screen.get_object(request, pk)
    if not screen.has_delete_permission(request, row):
        raise PermissionDenied
    if row is None:
        return screen.redirect_missing(request, pk)
    if request.method == "POST":
        deletion = _delete(screen, request, screen.get_queryset(request).filter(pk=row.pk))
        if deletion.done:
            response = screen.response_delete(request, str(row), row.pk)
            if IS_POPUP_VAR not in request.POST:
                messages.info(request, how_to_undo(screen))
            return response
    else:
        deletion = _deletion(screen, request, [row])
    is_popup = IS_POPUP_VAR in {*request.GET, *request.POST}
    context = _question(screen, request, deletion) | {
        "title": f"Delete “{row}”?",
        "object": row,
        "state": row.state(timezone.now()),
        "is_popup": is_popup,
        "popup": IS_POPUP_VAR if is_popup else "",
    }
    return TemplateResponse(request, "admin/deletion.html", context)


@admin.action(permissions=["delete"], description="Delete selected %(verbose_name_plural)s")
def delete_selected(
    screen: ContentAdmin[P], request: HttpRequest, queryset: "QuerySet[P]"
) -> HttpResponse | None:
    """Show one confirmation page for all selected rows; delete them if everything is confirmed."""
    if too_many(request, queryset):
        return None
    if "post" in request.POST:
        deletion = _delete(screen, request, queryset)
        if deletion.done:
            done = f"{screen.count_in_words(len(deletion.rows))} deleted. {how_to_undo(screen)}"
            messages.success(request, done)
            return None
    else:
        deletion = _deletion(screen, request, list(queryset))
    now = timezone.now()
    context = _question(screen, request, deletion) | {
        "title": f"Delete {screen.count_in_words(len(deletion.rows))}?",
        "chosen_name": ACTION_CHECKBOX_NAME,
        "withdrawable": any(row.published_at for row in deletion.rows),
        "public": sum(row.state(now) == "public" for row in deletion.rows),
    }
    return TemplateResponse(request, "admin/deletion.html", context)


def how_to_undo(screen: ContentAdmin[P]) -> str:
    """The sentence that says where to undo a deletion."""
    return f"To undo it, open “Deleted {screen.opts.verbose_name_plural}” above the list."


def _delete(screen: ContentAdmin[P], request: HttpRequest, rows: "QuerySet[P]") -> Deletion[P]:
    """Lock these rows and delete them, if nothing prevents it."""
    try:
        with transaction.atomic():
            locked = screen.locked(rows)
            deletion = _deletion(screen, request, list(locked))
            if not deletion.blockers and not deletion.forbidden:
                error = _refusal(request, deletion)
                deletion = replace(deletion, error=error, done=not error)
            if deletion.done:
                screen.delete_queryset(request, locked)
            return deletion
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
    return replace(_deletion(screen, request, list(rows.all())), error=CONCURRENT_SAVE)


def _deletion(screen: ContentAdmin[P], request: HttpRequest, rows: Sequence[P]) -> Deletion[P]:
    forbidden = [row for row in rows if not screen.has_delete_permission(request, row)]
    dependents = [each for each in screen.dependents(rows) if each.count]
    return Deletion(rows, dependents, screen.blockers(rows), forbidden)


def _refusal(request: HttpRequest, deletion: Deletion[P]) -> str:
    """Why a confirmed deletion cannot be done; empty if it can."""
    form = ConfirmDeletionForm(request.POST)
    sure = form.is_valid() and form.cleaned_data["sure"]
    return NOT_CONFIRMED if deletion.to_confirm and not sure else ""


def _question(
    screen: ContentAdmin[P], request: HttpRequest, deletion: Deletion[P]
) -> dict[str, object]:
    """The context that both confirmation pages share."""
    return {
        **screen.page_context(request),
        "deletion": deletion,
        "error": deletion.error,
        "is_soft": screen.soft_deletes,
        "may_publish": screen.has_publish_permission(request),
        "media": screen.media,
    }
