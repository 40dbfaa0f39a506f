"""Deleting at the desk: it asks, tells what goes, and offers to withdraw first."""

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
from shipskip.editing.deletion_counts import Loss, in_words
from shipskip.editing.row_locks import lost_race
from shipskip.editing.trash import LOST_RACE

NOT_SURE = "Nothing was deleted: tick the box to confirm."


@dataclass(frozen=True)
class Removal(Generic[P]):
    """What is about to be deleted, and all that depends on it."""

    rows: Sequence[P]
    losses: list[Loss]
    hindrances: list[Loss]
    forbidden: list[P]
    """Rows that this editor may not delete."""
    complaint: str = ""
    """What kept a confirmed deletion from being done."""
    done: bool = False

    @property
    def with_it(self) -> str:
        """What goes with the rows, in words; empty when nothing does."""
        return in_words([str(loss) for loss in self.losses])

    @property
    def in_the_way(self) -> str:
        """What must go first, in words."""
        return in_words([str(each) for each in self.hindrances])

    @property
    def weight(self) -> str:
        """What needs a confirmation of its own, in words."""
        return in_words([str(loss) for loss in self.losses if loss.weighty])


class SureForm(forms.Form):
    """The tick beside what needs a confirmation of its own."""

    sure = forms.BooleanField(required=False)


def delete_view(screen: ContentAdmin[P], request: HttpRequest, pk: str) -> HttpResponse:
    """Asks on GET; deletes on POST once everything is confirmed."""
    row = screen.get_object(request, pk)
    if not screen.has_delete_permission(request, row):
        raise PermissionDenied
    if row is None:
        return screen.not_there(request, pk)
    if request.method == "POST":
        removal = _delete(screen, request, screen.get_queryset(request).filter(pk=row.pk))
        if removal.done:
            response = screen.response_delete(request, str(row), row.pk)
            if IS_POPUP_VAR not in request.POST:
                messages.info(request, how_to_undo(screen))
            return response
    else:
        removal = _removal(screen, request, [row])
    is_popup = IS_POPUP_VAR in {*request.GET, *request.POST}
    context = _question(screen, request, removal) | {
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
    """Asks for all chosen rows together; deletes them once everything is confirmed."""
    if too_many(request, queryset):
        return None
    if "post" in request.POST:
        removal = _delete(screen, request, queryset)
        if removal.done:
            done = f"{screen.counted(len(removal.rows))} deleted. {how_to_undo(screen)}"
            messages.success(request, done)
            return None
    else:
        removal = _removal(screen, request, list(queryset))
    now = timezone.now()
    context = _question(screen, request, removal) | {
        "title": f"Delete {screen.counted(len(removal.rows))}?",
        "chosen_name": ACTION_CHECKBOX_NAME,
        "withdrawable": any(row.published_at for row in removal.rows),
        "public": sum(row.state(now) == "public" for row in removal.rows),
    }
    return TemplateResponse(request, "admin/deletion.html", context)


def how_to_undo(screen: ContentAdmin[P]) -> str:
    """Where a deletion is undone."""
    return f"To undo it, open “Deleted {screen.opts.verbose_name_plural}” above the list."


def _delete(screen: ContentAdmin[P], request: HttpRequest, rows: "QuerySet[P]") -> Removal[P]:
    """Delete these rows as they stand once they are held, if nothing is against it then."""
    try:
        with transaction.atomic():
            held = screen.held(rows)
            removal = _removal(screen, request, list(held))
            if not removal.hindrances and not removal.forbidden:
                complaint = _complaint(request, removal)
                removal = replace(removal, complaint=complaint, done=not complaint)
            if removal.done:
                screen.delete_queryset(request, held)
            return removal
    except DatabaseError as error:
        if not lost_race(error):
            raise
    return replace(_removal(screen, request, list(rows.all())), complaint=LOST_RACE)


def _removal(screen: ContentAdmin[P], request: HttpRequest, rows: Sequence[P]) -> Removal[P]:
    forbidden = [row for row in rows if not screen.has_delete_permission(request, row)]
    losses = [loss for loss in screen.losses(rows) if loss.count]
    return Removal(rows, losses, screen.hindrances(rows), forbidden)


def _complaint(request: HttpRequest, removal: Removal[P]) -> str:
    """What keeps a confirmed deletion from being done."""
    form = SureForm(request.POST)
    sure = form.is_valid() and form.cleaned_data["sure"]
    return NOT_SURE if removal.weight and not sure else ""


def _question(
    screen: ContentAdmin[P], request: HttpRequest, removal: Removal[P]
) -> dict[str, object]:
    """What both questions share."""
    return {
        **screen.page_context(request),
        "removal": removal,
        "complaint": removal.complaint,
        "softly": screen.removes_softly,
        "may_publish": screen.has_publish_permission(request),
        "media": screen.media,
    }
