"""Actions that publish and withdraw selected rows of a list; the page that withdraws one row."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from shipskip.editing import previews, ticked_rows
from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.editing.deletion_counts import in_words
from shipskip.editing.list_admin import M
from shipskip.editing.states import is_shown, name_of
from shipskip.web.publishing import publish, withdraw

MAX_SELECTED = 200
"""Maximum number of rows for one list action; more would take too long."""


def too_many(request: HttpRequest, rows: "QuerySet[M]") -> bool:
    """Return whether too many rows are selected; if so, add an error message."""
    if rows.count() <= MAX_SELECTED:
        return False
    ticked_rows.keep(request)
    messages.error(request, f"Nothing was changed: select at most {MAX_SELECTED} rows at once.")
    return True


@admin.action(description="Publish now", permissions=["publish"])
def publish_now(screen: ContentAdmin[P], request: HttpRequest, queryset: "QuerySet[P]") -> None:
    """Publish the selected rows, except those that are not ready."""
    if too_many(request, queryset):
        return
    now = timezone.now()
    with transaction.atomic():
        rows = list(screen.locked(queryset))
        waiting = [row for row in rows if row.state(now) != "public"]
        not_ready = screen.not_ready(waiting, now)
        ready = [row for row in waiting if row.pk not in not_ready]
        publish(ready, now, request.user)
    if ready:
        messages.success(request, f"{screen.count_in_words(len(ready))} published.")
    if already := len(rows) - len(waiting):
        messages.info(request, f"{screen.count_in_words(already)}: already public.")
    if not_ready:
        ticked_rows.keep(request, not_ready)
    for reason in not_ready.values():
        messages.warning(request, f"Not published: {reason}")


@admin.action(description="Withdraw", permissions=["publish"])
def withdraw_chosen(screen: ContentAdmin[P], request: HttpRequest, queryset: "QuerySet[P]") -> None:
    """Withdraw the selected rows: unpublish them, or remove them from the schedule."""
    if too_many(request, queryset):
        return
    with transaction.atomic():
        rows = list(screen.locked(queryset))
        keep = previews.are_kept(request)
        done = withdraw(rows, timezone.now(), request.user, keep_previews=keep)
    if done:
        messages.success(request, f"{screen.count_in_words(done)} withdrawn.")
    if left := len(rows) - done:
        messages.info(request, f"{screen.count_in_words(left)}: neither public nor scheduled.")


def withdraw_view(screen: ContentAdmin[P], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether to withdraw a row, and name what readers lose; withdraw it when confirmed."""
    with transaction.atomic():
        row = screen.locked(screen.get_queryset(request).filter(pk=pk)).first()
        if row is None:
            raise Http404
        if not screen.has_publish_permission(request):
            raise PermissionDenied
        now = timezone.now()
        before = row.state(now)
        gone = screen.gone_if_withdrawn(row, now) if is_shown(row, now) else {}
        if request.method != "POST":
            context = {"title": f"Withdraw “{row}”?", "object": row, "gone": gone, "state": before}
            return render(request, "admin/withdraw.html", screen.page_context(request) | context)
        withdraw([row], now, request.user, keep_previews=previews.are_kept(request))
    _say_withdrawn(request, row, before, list(gone))
    return screen.redirect_to("change", pk)


def _say_withdrawn(request: HttpRequest, row: P, before: str, gone: list[str]) -> None:
    """Say what readers no longer see; `before` is the state that the row had."""
    name = name_of(row)
    if before == "scheduled":
        messages.success(request, f"“{name}” is off the schedule; readers see nothing of it.")
    elif before != "public":
        messages.info(request, f"“{name}” is neither public nor scheduled.")
    else:
        lost = f"readers no longer see {in_words(gone)}" if gone else "readers did not see it"
        messages.success(request, f"“{name}” is withdrawn: {lost}; nothing was deleted.")
