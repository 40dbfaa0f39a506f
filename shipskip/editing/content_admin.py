"""What an admin class defines about its model for publishing, history, deletion and trash."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from django.contrib import messages
from django.contrib.auth import get_permission_codename
from django.db import models
from django.db.models import QuerySet
from django.db.models.options import Options
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.deletion_counts import DependentCount, count_dependents, listed
from shipskip.editing.row_locks import locked
from shipskip.web.htmx import see_other
from shipskip.web.publishing import Publishable

P = TypeVar("P", bound=Publishable)


def may_publish(request: HttpRequest, options: "Options[P]") -> bool:
    """Whether this editor may publish rows of a model."""
    codename = get_permission_codename("publish", options)
    return request.user.has_perm(f"{options.app_label}.{codename}")


class ContentAdmin(BaseAdmin[P]):
    """The rules of one model in the admin. Subclasses override what differs."""

    soft_deletes = False
    """Whether a deleted row stays in its table (`everything`, `deleted_at`, `remove(now)` and
    `bring_back()`), or only in its history."""

    fixed_fields: tuple[str, ...] = ()
    """Fields, besides those of the state, that restoring an earlier version does not change."""

    def publication_obstacles(self, rows: Sequence[P], now: datetime) -> dict[int, str]:
        """Why rows cannot be public from `now` on: a sentence by primary key."""
        return {}

    def lock_parents(self, pks: Sequence[int | str]) -> None:
        """Lock the parents of the rows with these keys, before the rows themselves."""

    def lost_by_withdrawal(self, rows: Sequence[P], now: datetime) -> dict[str, list[str]]:
        """What readers lose at `now` if public rows are withdrawn: lists of names or addresses by a
        phrase such as `3 comparisons`. The number of queries does not depend on the number of rows.
        """
        return listed([row.get_absolute_url() for row in rows], "its page", "pages")

    def dependents(self, rows: Sequence[P]) -> list[DependentCount]:
        """What is deleted along with these rows; counted, never loaded."""
        return [] if self.soft_deletes else list(count_dependents(rows, models.CASCADE))

    def blockers(self, rows: Sequence[P]) -> list[DependentCount]:
        """What must be deleted or moved before these rows can be deleted."""
        return [] if self.soft_deletes else list(count_dependents(rows, models.PROTECT))

    def restored_with(self, row: P) -> str:
        """What was brought back together with a row, in words; empty if nothing."""
        return ""

    def restore_needs_reason(self, obj: P, restored: P, now: datetime) -> bool:
        """Whether changing `obj` to the values of `restored` at `now` needs a public reason."""
        return False

    def after_restore(self, obj: P, before: P, reason: str, now: datetime) -> None:
        """Called after a restore, in its transaction; `before` is the row as it was."""

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whether this editor may publish."""
        return may_publish(request, self.opts)

    def locked(self, rows: "QuerySet[P]") -> "QuerySet[P]":
        """Read these rows again, with row locks until the transaction ends."""
        self.lock_parents(list(rows.order_by().values_list("pk", flat=True)))
        return locked(rows.order_by("pk"))

    def count_in_words(self, number: int) -> str:
        """A count with the model's noun, as in `2 tools`."""
        options = self.opts
        return f"{number:,} {options.verbose_name if number == 1 else options.verbose_name_plural}"

    def redirect_to(self, page: str, pk: int) -> HttpResponse:
        """Redirect to this page of a row after a POST."""
        return see_other(reverse(f"admin:{self.url_name(page)}", args=[pk]))

    def redirect_missing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect to the desk's first page with the message that the row does not exist."""
        name = self.opts.verbose_name
        messages.warning(
            request,
            f"There is no {name} number “{object_id}”. If it was deleted, “Deleted "
            f"{self.opts.verbose_name_plural}” above the list brings it back.",
        )
        return redirect("admin:index")
