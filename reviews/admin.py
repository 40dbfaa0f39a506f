"""The desk of the panel: reviewers, and takes one by one; a tool's screen holds its takes too."""

from collections.abc import Sequence
from datetime import datetime

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect, QueryDict
from django.urls import reverse

from reviews import cautions, record, vote_admin  # noqa: F401 - which registers the votes
from reviews.models import Reviewer, Take
from reviews.row_locks import hold_tools, hold_tools_of
from reviews.take_forms import TakeForm
from shipskip.editing.admin_base import PublishableAdmin, saving
from shipskip.editing.choices import is_key
from shipskip.editing.fields import PhrasesField
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.states import StateFilter


class ReviewerForm(PublishableForm[Reviewer]):
    """A reviewer, with likes and dislikes one a line."""

    likes = PhrasesField(required=False, help_text="One phrase a line")
    dislikes = PhrasesField(required=False, help_text="One phrase a line")

    class Meta:
        model = Reviewer
        fields = ["name", "slug", "motto", "bio", "likes", "dislikes", "position", "published_at"]


@admin.register(Reviewer)
class ReviewerAdmin(PublishableAdmin[Reviewer]):
    """The panel, in its order."""

    form = ReviewerForm
    list_display = ["name", "state", "motto", "position"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Take)
class TakeAdmin(PublishableAdmin[Take]):
    """All takes, to be found and filtered, and each to be written by itself."""

    form = TakeForm
    list_display = ["tool", "reviewer", "state", "score", "verdict"]
    list_filter = [StateFilter, "verdict", "reviewer"]
    list_select_related = ["tool", "reviewer"]
    search_fields = ["tool__name", "tool__slug", "body"]
    autocomplete_fields = ["tool", "reviewer"]
    view_on_site = False
    fixed_fields = ("tool", "reviewer")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Take]":
        """The takes on tools that are not deleted, with what a form of them needs to know."""
        rows = super().get_queryset(request) & Take.objects.on_kept_tools()
        return rows.select_related("tool", "reviewer")

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Take | None:
        """The take; while it is saved its tool is held first."""
        if saving(request) and is_key(object_id):
            self.lock_parents([object_id])
        return super().get_object(request, object_id, from_field)

    def get_fields(self, request: HttpRequest, obj: Take | None = None) -> tuple[str, ...]:
        """What a take holds, and where readers can see it the reason for a change."""
        fields = ("tool", "reviewer", "score", "verdict", "body", "published_at")
        if obj is None:
            return fields
        without = record.Revision.of(obj).not_asked
        return (*fields, *(name for name in ("reason", "still_true") if name not in without))

    def save_model(
        self, request: HttpRequest, obj: Take, form: "forms.ModelForm[Take]", change: object
    ) -> None:
        """Save, and keep the public record."""
        if not change:
            hold_tools([obj.tool_id])
        super().save_model(request, obj, form, change)
        if isinstance(form, TakeForm):
            form.revision.keep_record(form.cleaned_data.get("reason", ""))

    def lock_parents(self, pks: Sequence[int | str]) -> None:
        """The tools of these takes: their screens save takes as well."""
        hold_tools_of(pks)

    def restore_needs_reason(self, obj: Take, restored: Take, now: datetime) -> bool:
        """Whether readers can have seen another score or verdict than they would see then."""
        differs = record.judgement(obj) != record.judgement(restored)
        return differs and record.seen(obj, obj.tool, now)

    def after_restore(self, obj: Take, before: Take, reason: str, now: datetime) -> None:
        """Keep the public record; a take that was put back was read again by an editor."""
        if self.restore_needs_reason(before, obj, now):
            record.change(obj, record.judgement(before), reason, now).save()
        Take.objects.filter(pk=obj.pk).update(checked_at=now)

    def response_post_save_add(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        """Back to the list, or to the matrix from which this take was opened."""
        return self._to_matrix(request) or super().response_post_save_add(request, obj)

    def response_post_save_change(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        """The same after a change."""
        return self._to_matrix(request) or super().response_post_save_change(request, obj)

    def _to_matrix(self, request: HttpRequest) -> HttpResponseRedirect | None:
        if "back" not in request.GET:
            return None
        filters = QueryDict(request.GET["back"]).urlencode()
        return HttpResponseRedirect(f"{reverse('admin:coverage')}?{filters}")

    def cautions_of(self, obj: Take) -> list[str]:
        """What looks odd about a take that was just saved."""
        return cautions.of_take(obj)
