"""What a screen says of its model, for publishing, history, deletion and trash to go by."""

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

from shipskip.editing.deletion_counts import Loss, dependents
from shipskip.editing.history_entries import Records
from shipskip.editing.list_admin import SoundListAdmin
from shipskip.editing.row_locks import held
from shipskip.web.htmx import see_other
from shipskip.web.publishing import Publishable

P = TypeVar("P", bound=Publishable)


def may_publish(request: HttpRequest, options: "Options[P]") -> bool:
    """Whether this editor may say when rows of a model are public."""
    codename = get_permission_codename("publish", options)
    return request.user.has_perm(f"{options.app_label}.{codename}")


class ContentAdmin(SoundListAdmin[P]):
    """The rules of one model at the desk. A screen overrides what differs for its rows."""

    removes_softly = False
    """Whether a deleted row stays in its table (`everything`, `deleted_at`, `remove(now)` and
    `bring_back()`), or only in its history."""

    fixed_fields: tuple[str, ...] = ()
    """Fields that stay as they are when an earlier version is restored, beyond the row's state."""

    def not_ready(self, rows: Sequence[P], now: datetime) -> dict[int, str]:
        """Why rows cannot be public from `now` on as they are: a sentence by primary key."""
        return {}

    def hold_above(self, pks: Sequence[int | str]) -> None:
        """Hold what the rows with these keys belong to; they themselves are held after it."""

    def losses(self, rows: Sequence[P]) -> list[Loss]:
        """What goes with these rows; counted, never loaded."""
        return [] if self.removes_softly else list(dependents(rows, models.CASCADE))

    def hindrances(self, rows: Sequence[P]) -> list[Loss]:
        """What must be deleted or moved before these rows can be."""
        return [] if self.removes_softly else list(dependents(rows, models.PROTECT))

    def returned(self, row: P) -> str:
        """What came back with a row, in words; empty where it came alone."""
        return ""

    def histories(self, obj: P) -> list[Records]:
        """What makes up the history of a row: its own versions, and those of what belongs to it."""
        return [self.model.history.filter(id=obj.pk)]

    def subject_of(self, row: models.Model) -> str:
        """What an entry of a history is about, where it is not the row itself."""
        return ""

    def restore_needs_reason(self, obj: P, restored: P, now: datetime) -> bool:
        """Whether readers must be told why `obj` becomes what `restored` says at `now`."""
        return False

    def after_restore(self, obj: P, before: P, reason: str, now: datetime) -> None:
        """A version was restored, which `before` was not; in the same transaction."""

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whether this editor may say when something is public."""
        return may_publish(request, self.opts)

    def held(self, rows: "QuerySet[P]") -> "QuerySet[P]":
        """These rows as they stand by now, held until the transaction ends."""
        self.hold_above(list(rows.order_by().values_list("pk", flat=True)))
        return held(rows.order_by("pk"))

    def counted(self, number: int) -> str:
        """So many of this screen's rows, in words."""
        options = self.opts
        return f"{number:,} {options.verbose_name if number == 1 else options.verbose_name_plural}"

    def page_context(self, request: HttpRequest) -> dict[str, object]:
        """What the template of every page of this screen is given."""
        request.current_app = self.admin_site.name
        return {**self.admin_site.each_context(request), "opts": self.opts}

    def url_name(self, page: str) -> str:
        """The name of a page of this screen, as in `tools_tool_history`."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def onward(self, page: str, pk: int) -> HttpResponse:
        """What was sent is done; read on at this page of a row."""
        return see_other(reverse(f"admin:{self.url_name(page)}", args=[pk]))

    def not_there(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """A row that nobody finds: the first page of the desk says so."""
        said = (
            f"{self.opts.verbose_name} with ID “{object_id}” doesn’t exist. Perhaps it was deleted?"
        )
        messages.warning(request, said[0].upper() + said[1:])
        return redirect("admin:index")
