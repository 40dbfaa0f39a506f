"""List actions that publish and withdraw the selected rows, and the confirmation page."""

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from shipskip.editing import previews, selected_rows
from shipskip.editing.action_messages import Withdrawal, say_published, say_withdrawn
from shipskip.editing.admin_base import M
from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.web.publishing import publish, withdraw

MAX_SELECTED = 200
"""Maximum number of rows for one list action; more would take too long."""


def too_many(request: HttpRequest, rows: "QuerySet[M]") -> bool:
    """Return whether too many rows are selected; if so, add an error message."""
    if rows.count() <= MAX_SELECTED:
        return False
    selected_rows.keep(request)
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
        obstacles = screen.publication_obstacles(waiting, now)
        ready = [row for row in waiting if row.pk not in obstacles]
        publish(ready, now, request.user)
    say_published(screen, request, ready, now)
    if already := len(rows) - len(waiting):
        was = "was" if already == 1 else "were"
        messages.info(request, f"{screen.count_in_words(already)} {was} public already.")
    if obstacles:
        selected_rows.keep(request, obstacles)
    for reason in obstacles.values():
        messages.warning(request, f"Not published: {reason}")


@admin.action(description="Withdraw…", permissions=["publish"])
def withdraw_chosen(
    screen: ContentAdmin[P], request: HttpRequest, queryset: "QuerySet[P]"
) -> HttpResponse | None:
    """Show a confirmation page for the selected rows with what readers lose; then withdraw them."""
    if too_many(request, queryset):
        return None
    now = timezone.now()
    if "post" not in request.POST:
        selected_rows.keep(request)  # shown again if the editor goes back to the list
        withdrawal = Withdrawal.of(screen, list(queryset), now)
        context = {
            "title": f"Withdraw {screen.count_in_words(len(withdrawal.rows))}?",
            "withdrawal": withdrawal,
            "gone": withdrawal.gone,
            "scheduled": screen.count_in_words(withdrawal.scheduled)
            if withdrawal.scheduled
            else "",
            "chosen_name": ACTION_CHECKBOX_NAME,
        }
        return render(request, "admin/withdraw.html", screen.page_context(request) | context)
    selected_rows.forget(request)
    with transaction.atomic():
        withdrawal = Withdrawal.of(screen, list(screen.locked(queryset)), now)
        withdraw(withdrawal.rows, now, request.user, keep_previews=previews.are_kept(request))
    say_withdrawn(screen, request, withdrawal)
    return None


def withdraw_view(screen: ContentAdmin[P], request: HttpRequest, pk: int) -> HttpResponse:
    """Show a confirmation page for a row with what readers lose; on POST withdraw it."""
    with transaction.atomic():
        row = screen.locked(screen.get_queryset(request).filter(pk=pk)).first()
        if row is None:
            raise Http404
        if not screen.has_publish_permission(request):
            raise PermissionDenied
        now = timezone.now()
        withdrawal = Withdrawal.of(screen, [row], now)
        if request.method != "POST":
            context = {"title": f"Withdraw “{row}”?", "object": row, "gone": withdrawal.gone}
            context["state"] = row.state(now)
            return render(request, "admin/withdraw.html", screen.page_context(request) | context)
        withdraw([row], now, request.user, keep_previews=previews.are_kept(request))
    say_withdrawn(screen, request, withdrawal)
    return screen.redirect_to("change", pk)
