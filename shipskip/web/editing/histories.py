"""The history of a row at the desk: who changed what, when, and the way back."""

from copy import copy
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.text import capfirst
from django.views.decorators.http import require_POST, require_safe

from shipskip.web.editing import entries, restoring
from shipskip.web.editing.acts import ActsAdmin
from shipskip.web.editing.holding import held, lost_race
from shipskip.web.editing.restoring import RefusedError
from shipskip.web.filters import FilterForm
from shipskip.web.text import validate_reason

NEEDS_REASON = "Say in one line why; readers of the tool’s page see it."
OVERTAKEN = (
    "Somebody saved this while you were reading. Nothing was changed: look at what restoring "
    "would change now, then decide again."
)
PUBLISHERS_ALONE = (
    "Readers could see another score or verdict, so the change stands on the public record: ask "
    "a publisher to make it."
)
LOST_RACE = "Somebody saved this at the same moment. Nothing was changed: try again."


class RestoreForm(forms.Form):
    """What the editor had seen, and why readers are to see something else."""

    seen = forms.CharField()
    reason = forms.CharField(
        required=False,
        max_length=200,
        validators=[validate_reason],
        label="Reason for the change",
        help_text="One line for the public record: readers could see another score or verdict.",
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
    )


class HistoryAdmin(ActsAdmin):
    """A screen with a history of its rows."""

    kept_by_restore: tuple[str, ...] = ()
    """Fields that a row keeps when an earlier version is restored, beyond its state."""

    def get_urls(self) -> list[URLPattern]:
        """The pages of versions before Django's own addresses, which take any."""
        version = "<int:pk>/history/<int:version>/"
        return [
            self.own_path(version, self.version_view, "version"),
            self.own_path(f"{version}restore/", self.restore_view, "restore"),
            *super().get_urls(),
        ]

    def histories(self, obj: Any) -> list["QuerySet[Any]"]:
        """What makes up the history of a row: its own versions, and those of what belongs to it."""
        return [self.model.history.filter(id=obj.pk)]

    def subject_of(self, row: Any) -> str:
        """What an entry of a history is about, where it is not the row itself."""
        return ""

    def restore_needs_reason(self, obj: Any, version: Any, now: datetime) -> bool:
        """Whether readers must be told why a version of `obj` is restored at `now`."""
        return False

    def restored(self, obj: Any, before: Any, reason: str, now: datetime) -> None:
        """A version was restored, which `before` was not; in the same transaction."""

    @method_decorator(require_safe)
    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Everything that happened to a row, newest first; also to one that is deleted."""
        row, is_gone = self._row(object_id)
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        form = FilterForm(request.GET)
        chosen = form.settle()
        histories = self.histories(row)
        page = entries.timeline(histories, self._subject_in(row), chosen["page"])
        if not page.rows and page.number > 1:
            form.complaints.append(f"There is no page {page.number}; this is the first.")
            chosen["page"] = 1
            page = entries.timeline(histories, self._subject_in(row), 1)
        context = {
            **self._context(request, row, is_gone=is_gone),
            "title": f"History of “{row}”",
            "page": page,
            "chosen": chosen,
            "complaints": form.complaints,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/history.html", context)

    @method_decorator(require_safe)
    def version_view(self, request: HttpRequest, pk: int, version: int) -> HttpResponse:
        """All values of one version, what restoring it would change, and the way to do so."""
        row, _ = self._row(pk)
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        return self._version_page(request, self._version(pk, version), [])

    @method_decorator(require_POST)
    def restore_view(self, request: HttpRequest, pk: int, version: int) -> HttpResponse:
        """Put a version's values back; doing it again changes nothing. Never publishes."""
        chosen, now = self._version(pk, version), timezone.now()
        try:
            with transaction.atomic():
                self.hold_above([pk])
                row = held(self.model._base_manager.filter(pk=pk)).first()
                if row is None or getattr(row, "deleted_at", None):
                    raise RefusedError(["It is deleted: bring it back first."])
                if not self.has_change_permission(request, row):
                    raise PermissionDenied
                self._restore(request, row, chosen, now)
        except RefusedError as refused:
            return self._version_page(request, chosen, refused.reasons)
        except DatabaseError as error:
            if not lost_race(error):
                raise
            return self._version_page(request, chosen, [LOST_RACE])
        return self.onward("history", pk)

    def _restore(self, request: HttpRequest, row: Any, version: Any, now: datetime) -> None:
        """Restore under the editor's name and tell them; RefusedError says why not."""
        form, before = RestoreForm(request.POST), copy(row)
        when = entries.moment_in_words(version.history_date)
        fields = restoring.differing(row, version, self.kept_by_restore)
        if not fields:
            messages.info(request, f"“{row}” already says what it said on {when}.")
            return
        if not form.is_valid() and "reason" in form.errors:
            raise RefusedError([str(fault) for fault in form.errors["reason"]])
        if form.cleaned_data.get("seen") != restoring.standing(row):
            raise RefusedError([OVERTAKEN])
        reason = form.cleaned_data["reason"]
        if self.restore_needs_reason(row, version, now):
            self._check_record(request, reason)
        left = restoring.put_back(row, version, fields)
        self._check_public(row, before, now)
        row._history_user = request.user
        row._change_reason = f"Restored the version of {when}"
        self.save_fields(row, [each.name for each in fields], model_to_dict(before))
        self.restored(row, before, reason, now)
        messages.success(request, f"“{row}” says again what it said on {when}.")
        if left:
            messages.warning(request, left)

    def _check_record(self, request: HttpRequest, reason: str) -> None:
        """What readers saw is changed by publishers alone, and with a reason."""
        if not self.has_publish_permission(request):
            raise RefusedError([PUBLISHERS_ALONE])
        if not reason:
            raise RefusedError([NEEDS_REASON])

    def _check_public(self, row: Any, before: Any, now: datetime) -> None:
        """What is or becomes public keeps what a public row must have."""
        if row.published_at is None:
            return
        moment = max(now, row.published_at)
        complaint = self.not_ready([row], moment).get(row.pk)
        if complaint and not self.not_ready([before], moment):
            raise RefusedError([f"It is public or scheduled, and could not be: {complaint}"])

    def _version_page(
        self, request: HttpRequest, version: Any, complaints: list[str]
    ) -> HttpResponse:
        row, is_gone = self._row(version.id)
        now = timezone.now()
        related = entries.related_to([version, row])
        fields = [] if is_gone else restoring.differing(row, version, self.kept_by_restore)
        form = RestoreForm(request.POST or None)
        when = entries.moment_in_words(version.history_date)
        context = {
            **self._context(request, row, is_gone=is_gone),
            "title": f"“{entries.as_row(version, related)}” on {when}",
            "version": version,
            "who": entries.who(version),
            "when": when,
            "state": entries.state_of(version),
            "values": [
                (capfirst(str(each.verbose_name)), entries.value_of(version, each, related))
                for each in entries.fields_of(version)
            ],
            "changes": entries.changed_values(row, version, fields, related),
            "may_change": not is_gone and self.has_change_permission(request, row),
            "form": form,
            "needs_reason": bool(fields) and self.restore_needs_reason(row, version, now),
            "seen": "" if is_gone else restoring.standing(row),
            "complaints": complaints,
        }
        return TemplateResponse(request, "admin/version.html", context)

    def _context(self, request: HttpRequest, row: Any, *, is_gone: bool) -> dict[str, Any]:
        """What the pages of a row's history share."""
        request.current_app = self.admin_site.name
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "object": row,
            "is_gone": is_gone,
            "may_bring_back": is_gone and self.has_delete_permission(request),
        }

    def _row(self, pk: Any) -> tuple[Any, bool]:
        """A row, and whether it is deleted; of one that is gone for good, its last version."""
        rows = self.model._base_manager
        try:
            row = rows.filter(pk=pk).first()
        except ValueError:
            raise Http404 from None
        if row is not None:
            return row, bool(getattr(row, "deleted_at", None))
        last = self.model.history.filter(id=pk).first()
        if last is None:
            raise Http404
        return entries.as_row(last, entries.related_to([last])), True

    def _version(self, pk: int, version: int) -> Any:
        history = self.model.history.filter(id=pk)
        found = history.select_related("history_user").filter(history_id=version).first()
        if found is None:
            raise Http404
        return found

    def _subject_in(self, obj: Any) -> Any:
        """Names what an entry is about, beside the row whose history it stands in."""
        return lambda row: "" if isinstance(row, type(obj)) else self.subject_of(row)
