"""Publishing and withdrawing at the desk: acts on chosen rows of a list, and on one row."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST
from simple_history.utils import bulk_update_with_history

from shipskip.web.editing.holding import held
from shipskip.web.editing.lists import SoundListAdmin
from shipskip.web.htmx import see_other
from shipskip.web.publishing import Publishable, withdrawal

MOST_AT_ONCE = 200
"""Rows that one act on a list takes; more would keep the editor waiting."""


def may_publish(request: HttpRequest, options: Any) -> bool:
    """Whether this editor may say when rows of a model are public."""
    codename = get_permission_codename("publish", options)
    return bool(request.user.has_perm(f"{options.app_label}.{codename}"))


class ActsAdmin(SoundListAdmin):
    """A screen whose rows can be published and withdrawn."""

    actions = ["publish_now", "withdraw_chosen"]

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whether this editor may say when something is public."""
        return may_publish(request, self.opts)

    def get_urls(self) -> list[URLPattern]:
        """The addresses of the acts on one row before Django's own, which take any."""
        return [
            self.own_path("<int:pk>/withdraw/", self.withdraw_view, "withdraw"),
            *super().get_urls(),
        ]

    def own_path(self, route: str, view: Any, name: str) -> URLPattern:
        """An address of this screen, open to those who may see the desk alone."""
        full = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        own: URLPattern = path(route, self.admin_site.admin_view(view), name=full)
        return own

    def onward(self, name: str, pk: int) -> HttpResponse:
        """What was sent is done; read on at this address of a row."""
        return see_other(
            reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=[pk])
        )

    def not_ready(self, rows: Sequence[Any], now: datetime) -> dict[int, str]:
        """Why rows cannot be public from `now` on as they are: a sentence by primary key."""
        return {}

    def hold_above(self, pks: Sequence[Any]) -> None:
        """Hold what the rows with these keys belong to; they themselves are held after it."""

    def held(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        """These rows as they stand by now, held until the transaction ends."""
        self.hold_above(list(rows.order_by().values_list("pk", flat=True)))
        return held(rows.order_by("pk"))

    def counted(self, number: int) -> str:
        """So many of this screen's rows, in words."""
        options = self.opts
        return f"{number:,} {options.verbose_name if number == 1 else options.verbose_name_plural}"

    def too_many(self, request: HttpRequest, rows: "QuerySet[Any]") -> bool:
        """Whether more rows are chosen than one act takes; if so the editor is told."""
        if rows.count() <= MOST_AT_ONCE:
            return False
        messages.error(request, f"Nothing was changed: choose at most {MOST_AT_ONCE} at once.")
        return True

    @admin.action(description="Publish now", permissions=["publish"])
    def publish_now(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        """Make the chosen rows public, but for those that are not ready."""
        if self.too_many(request, queryset):
            return
        now = timezone.now()
        with transaction.atomic():
            rows = list(self.held(queryset))
            waiting = [row for row in rows if row.state(now) != "public"]
            complaints = self.not_ready(waiting, now)
            ready = [row for row in waiting if row.pk not in complaints]
            publish(ready, now, request.user)
        if ready:
            messages.success(request, f"{self.counted(len(ready))} published.")
        if already := len(rows) - len(waiting):
            messages.info(request, f"{self.counted(already)}: public already.")
        for complaint in complaints.values():
            messages.warning(request, f"Not published: {complaint}")

    @admin.action(description="Withdraw", permissions=["publish"])
    def withdraw_chosen(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        """Take the chosen rows back from the public, or off the schedule."""
        if self.too_many(request, queryset):
            return
        with transaction.atomic():
            rows = list(self.held(queryset))
            done = withdraw(rows, timezone.now(), request.user)
        if done:
            messages.success(request, f"{self.counted(done)} withdrawn.")
        if left := len(rows) - done:
            messages.info(request, f"{self.counted(left)}: neither public nor scheduled.")

    @method_decorator(require_POST)
    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Withdraw one row; withdrawing it again changes nothing."""
        with transaction.atomic():
            row = self.held(self.get_queryset(request).filter(pk=pk)).first()
            if row is None:
                raise Http404
            publishes = getattr(self, "has_publish_permission", None)
            if publishes is None or not publishes(request):
                raise PermissionDenied
            public = row.state(timezone.now()) == "public"
            done = withdraw([row], timezone.now(), request.user)
        if not done:
            messages.info(request, f"“{row}” is neither public nor scheduled.")
        elif public:
            messages.success(
                request, f"“{row}” is withdrawn: no reader sees it any more, and all of it is kept."
            )
        else:
            messages.success(request, f"“{row}” is off the schedule.")
        return self.onward("change", pk)


def publish(rows: Sequence[Publishable], now: datetime, by: Any) -> None:
    """Make these rows of one model public from `now` on; as many queries for one as for many."""
    for row in rows:
        row.published_at = now.replace(microsecond=0)
    _save(rows, ["published_at"], by)


def withdraw(rows: Sequence[Publishable], now: datetime, by: Any) -> int:
    """Take rows back from the public or off the schedule; how many there were to take."""
    found = [row for row in rows if row.published_at is not None]
    for row in found:
        if withdrawal(row.published_at, None, now):
            row.withdrawn_at = now
        row.published_at = None
    _save(found, ["published_at", "withdrawn_at"], by)
    return len(found)


def _save(rows: Sequence[Publishable], fields: list[str], by: Any) -> None:
    if rows:
        bulk_update_with_history(rows, type(rows[0]), fields, default_user=by)
