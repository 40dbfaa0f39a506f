"""Deleting at the desk: it asks, tells what goes, and offers to withdraw first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, models, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from shipskip.web.editing.deleted import LOST_RACE, DeletedAdmin
from shipskip.web.editing.holding import lost_race

NOT_SURE = "Nothing was deleted: tick the box if you are sure."


@dataclass(frozen=True)
class Loss:
    """So many rows of a kind that go with what is deleted; `weighty` ones must be confirmed."""

    count: int
    one: str
    many: str
    weighty: bool = False
    deleted: int = 0
    """How many of them are deleted themselves, and only kept."""

    def __str__(self) -> str:
        told = f"{self.count:,} {self.one if self.count == 1 else self.many}"
        return f"{told} ({self.deleted:,} of them deleted)" if self.deleted else told


@dataclass(frozen=True)
class Removal:
    """What is about to be deleted, and all that depends on it."""

    rows: Sequence[Any]
    losses: list[Loss]
    hindrances: list[Loss]
    forbidden: list[Any]
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

    @property
    def possible(self) -> bool:
        """Whether nothing forbids it."""
        return not self.hindrances and not self.forbidden


class SureForm(forms.Form):
    """The tick beside what needs a confirmation of its own."""

    sure = forms.BooleanField(required=False)


class RemovalAdmin(DeletedAdmin):
    """A screen whose rows can be withdrawn or deleted."""

    def losses(self, rows: Sequence[Any]) -> list[Loss]:
        """What goes with these rows; counted, never loaded."""
        return [] if self.removes_softly else list(self._dependent(rows, models.CASCADE))

    def hindrances(self, rows: Sequence[Any]) -> list[Loss]:
        """What must be deleted or moved before these rows can be."""
        return [] if self.removes_softly else list(self._dependent(rows, models.PROTECT))

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Asks on GET; deletes on POST once everything is confirmed."""
        row = self.get_object(request, object_id)
        if not self.has_delete_permission(request, row):
            raise PermissionDenied
        if row is None:
            answer: HttpResponse = self._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined]
                request, self.opts, object_id
            )
            return answer
        if request.method == "POST":
            removal = self._delete(request, self.get_queryset(request).filter(pk=row.pk))
            if removal.done:
                return self.response_delete(request, str(row), row.pk)
        else:
            removal = self._removal(request, [row])
        is_popup = IS_POPUP_VAR in {*request.GET, *request.POST}
        context = self._question(request, removal) | {
            "title": f"Delete “{row}”?",
            "object": row,
            "state": row.state(timezone.now()),
            "is_popup": is_popup,
            "popup": IS_POPUP_VAR if is_popup else "",
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/deletion.html", context)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Deleting chosen rows asks in our words instead of Django's."""
        actions: dict[str, Any] = dict(super().get_actions(request))
        if "delete_selected" in actions:
            _, name, description = actions["delete_selected"]
            actions["delete_selected"] = (RemovalAdmin.delete_chosen, name, description)
        return actions

    @admin.action(permissions=["delete"])
    def delete_chosen(self, request: HttpRequest, queryset: "QuerySet[Any]") -> HttpResponse | None:
        """Asks for all chosen rows together; deletes them once everything is confirmed."""
        if self.too_many(request, queryset):
            return None
        if "post" in request.POST:
            removal = self._delete(request, queryset)
            if removal.done:
                done = f"{self.counted(len(removal.rows))} deleted. {self._undo}"
                messages.success(request, done)
                return None
        else:
            removal = self._removal(request, list(queryset))
        now = timezone.now()
        context = self._question(request, removal) | {
            "title": f"Delete {self.counted(len(removal.rows))}?",
            "chosen_name": ACTION_CHECKBOX_NAME,
            "withdrawable": any(row.published_at for row in removal.rows),
            "public": sum(row.state(now) == "public" for row in removal.rows),
        }
        return TemplateResponse(request, "admin/deletion.html", context)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete a row under the editor's name."""
        obj._history_user = request.user
        if self.removes_softly:
            obj.remove(timezone.now())
        else:
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        """The same for each of these rows."""
        for row in queryset:
            self.delete_model(request, row)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: Any) -> HttpResponse:
        """Back to the list, with the way to undo it."""
        answer = super().response_delete(request, obj_display, obj_id)
        if IS_POPUP_VAR not in request.POST:
            messages.info(request, self._undo)
        return answer

    @property
    def _undo(self) -> str:
        return f"To undo it, open “Deleted {self.opts.verbose_name_plural}” above the list."

    def _delete(self, request: HttpRequest, rows: "QuerySet[Any]") -> Removal:
        """Delete these rows as they stand once they are held, if nothing is against it then."""
        try:
            with transaction.atomic():
                held = self.held(rows)
                removal = self._removal(request, list(held))
                if removal.possible:
                    complaint = self._complaint(request, removal)
                    removal = replace(removal, complaint=complaint, done=not complaint)
                if removal.done:
                    self.delete_queryset(request, held)
                return removal
        except DatabaseError as error:
            if not lost_race(error):
                raise
        return replace(self._removal(request, list(rows.all())), complaint=LOST_RACE)

    def _removal(self, request: HttpRequest, rows: Sequence[Any]) -> Removal:
        forbidden = [row for row in rows if not self.has_delete_permission(request, row)]
        losses = [loss for loss in self.losses(rows) if loss.count]
        return Removal(rows, losses, self.hindrances(rows), forbidden)

    def _complaint(self, request: HttpRequest, removal: Removal) -> str:
        """What keeps a confirmed deletion from being done."""
        form = SureForm(request.POST)
        sure = form.is_valid() and form.cleaned_data["sure"]
        return NOT_SURE if removal.weight and not sure else ""

    def _question(self, request: HttpRequest, removal: Removal) -> dict[str, Any]:
        """What both questions share."""
        request.current_app = self.admin_site.name
        publishes = getattr(self, "has_publish_permission", None)
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "removal": removal,
            "complaint": removal.complaint,
            "softly": self.removes_softly,
            "may_publish": publishes is not None and publishes(request),
            "media": self.media,
        }

    def _dependent(self, rows: Sequence[Any], rule: Any) -> Iterator[Loss]:
        """What refers to these rows under a rule of deletion, counted; two queries a relation."""
        for relation in self.opts.get_fields(include_hidden=True):
            if isinstance(relation, models.ForeignObjectRel) and relation.on_delete is rule:
                options, found = relation.related_model._meta, depending(rows, relation)
                if count := found.count():
                    names = str(options.verbose_name), str(options.verbose_name_plural)
                    kept = relation.related_model._default_manager.filter(pk__in=found.values("pk"))
                    yield Loss(count, *names, deleted=count - kept.count())


def depending(rows: Sequence[Any], *relations: Any) -> "QuerySet[Any]":
    """What refers to any of these rows through one of these relations of the same model."""
    pks, wanted = [row.pk for row in rows], Q()
    for relation in relations:
        wanted |= Q(**{f"{relation.field.name}__in": pks})
    found: QuerySet[Any] = relations[0].related_model._base_manager.filter(wanted)
    return found


def in_words(parts: list[str]) -> str:
    """A list as in `2 votes, 1 take and 3 bookmarks`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
