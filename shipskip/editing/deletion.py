"""Deletion in the admin: confirm, list what is deleted too, and offer to withdraw instead."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.deletion_counts import DependentCount, count_in_words, in_words
from shipskip.editing.permissions import may_publish
from shipskip.editing.row_locks import is_concurrent_save
from shipskip.editing.states import name_of
from shipskip.editing.trash import CONCURRENT_SAVE
from shipskip.web.publishing import Publishable, Versioned

MAX_SELECTED = 200
"""Maximum number of rows for one list action; more would take too long."""
NOT_CONFIRMED = "Nothing was deleted: tick the box to confirm."


@dataclass(frozen=True)
class Deletion(Generic[M]):
    """Rows to delete, and everything that depends on them."""

    rows: Sequence[M]
    dependents: list[DependentCount]
    blockers: list[DependentCount]
    forbidden: list[M]
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


@BaseAdmin.page(
    "<path:pk>/delete/",
    "delete",
    require_http_methods(["GET", "HEAD", "POST"]),
    for_rows=Versioned,
)
def delete_view(screen: BaseAdmin[M], request: HttpRequest, pk: str) -> HttpResponse:
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
        "title": f"Delete “{name_of(row)}”?",
        "object": row,
        "state": _states([row])[0],
        "is_popup": is_popup,
        "popup": IS_POPUP_VAR if is_popup else "",
    }
    return TemplateResponse(request, "admin/deletion.html", context)


def too_many(request: HttpRequest, rows: "QuerySet[M]") -> bool:
    """Return whether too many rows are selected; if so, add an error message."""
    if rows.count() <= MAX_SELECTED:
        return False
    messages.error(request, f"Nothing was changed: select at most {MAX_SELECTED} rows at once.")
    return True


@admin.action(permissions=["delete"], description="Delete selected %(verbose_name_plural)s")
def delete_selected(
    screen: BaseAdmin[M], request: HttpRequest, queryset: "QuerySet[M]"
) -> HttpResponse | None:
    """Show one confirmation page for all selected rows; delete them if everything is confirmed."""
    if too_many(request, queryset):
        return None
    if "post" in request.POST:
        deletion = _delete(screen, request, queryset)
        if deletion.done:
            number = count_in_words(len(deletion.rows), screen.opts)
            done = f"{number} deleted. {how_to_undo(screen)}"
            messages.success(request, done)
            return None
    else:
        deletion = _deletion(screen, request, list(queryset))
    context = _question(screen, request, deletion) | {
        "title": f"Delete {count_in_words(len(deletion.rows), screen.opts)}?",
        "chosen_name": ACTION_CHECKBOX_NAME,
        "withdrawable": {"public", "scheduled"} & {*_states(deletion.rows)},
        "public": _states(deletion.rows).count("public"),
    }
    return TemplateResponse(request, "admin/deletion.html", context)


def how_to_undo(screen: BaseAdmin[M]) -> str:
    """The sentence that says where to undo a deletion."""
    return f"To undo it, open “Deleted {screen.opts.verbose_name_plural}” above the list."


def _delete(screen: BaseAdmin[M], request: HttpRequest, rows: "QuerySet[M]") -> Deletion[M]:
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


def _deletion(screen: BaseAdmin[M], request: HttpRequest, rows: Sequence[M]) -> Deletion[M]:
    forbidden = [row for row in rows if not screen.has_delete_permission(request, row)]
    dependents = [each for each in screen.dependents(rows) if each.count]
    return Deletion(rows, dependents, screen.blockers(rows), forbidden)


def _refusal(request: HttpRequest, deletion: Deletion[M]) -> str:
    """Why a confirmed deletion cannot be done; empty if it can."""
    form = ConfirmDeletionForm(request.POST)
    sure = form.is_valid() and form.cleaned_data["sure"]
    return NOT_CONFIRMED if deletion.to_confirm and not sure else ""


def _question(
    screen: BaseAdmin[M], request: HttpRequest, deletion: Deletion[M]
) -> dict[str, object]:
    """The context that both confirmation pages share."""
    return {
        **screen.page_context(request),
        "deletion": deletion,
        "error": deletion.error,
        "is_soft": screen.soft_deletes,
        "may_publish": may_publish(request, screen.opts),
        "media": screen.media,
    }


def _states(rows: Sequence[models.Model]) -> list[str]:
    """The state of each row; empty for one that is not published."""
    now = timezone.now()
    return [row.state(now) if isinstance(row, Publishable) else "" for row in rows]
