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

from shipskip.web.editing.holding import held
from shipskip.web.editing.lists import SoundListAdmin
from shipskip.web.htmx import see_other

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

    def may_go_public(self, obj: Any, now: datetime) -> str | None:
        """Why a row cannot be public from `now` on as it is, in a sentence; None when it can."""
        return None

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
        now, done, already, complaints = timezone.now(), 0, 0, []
        with transaction.atomic():
            for row in self.held(queryset):
                if row.state(now) == "public":
                    already += 1
                elif complaint := self.may_go_public(row, now):
                    complaints.append(complaint)
                else:
                    row._history_user = request.user
                    row.publish(now)
                    done += 1
        if done:
            messages.success(request, f"{self.counted(done)} published.")
        if already:
            messages.info(request, f"{self.counted(already)}: public already.")
        for complaint in complaints:
            messages.warning(request, f"Not published: {complaint}")

    @admin.action(description="Withdraw", permissions=["publish"])
    def withdraw_chosen(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        """Take the chosen rows back from the public, or off the schedule."""
        if self.too_many(request, queryset):
            return
        with transaction.atomic():
            done = [self.withdraw(request, row) for row in self.held(queryset)].count(True)
            left = queryset.count() - done
        if done:
            messages.success(request, f"{self.counted(done)} withdrawn.")
        if left:
            messages.info(request, f"{self.counted(left)}: neither public nor scheduled.")

    def withdraw(self, request: HttpRequest, row: Any) -> bool:
        """Withdraw a row under the editor's name; False when there was nothing to withdraw."""
        if row.published_at is None:
            return False
        row._history_user = request.user
        row.withdraw(timezone.now())
        return True

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
            done = self.withdraw(request, row)
        if not done:
            messages.info(request, f"“{row}” is neither public nor scheduled.")
        elif public:
            messages.success(
                request, f"“{row}” is withdrawn: no reader sees it any more, and all of it is kept."
            )
        else:
            messages.success(request, f"“{row}” is off the schedule.")
        return self.onward("change", pk)
