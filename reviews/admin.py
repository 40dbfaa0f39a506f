"""The admin of reviewers and of single takes; a tool's admin page edits its takes too."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Max, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from reviews import cautions, take_change_admin, take_changes, vote_admin  # noqa: F401 - registers
from reviews.models import Reviewer, Take
from reviews.portraits import Sign, portrait
from reviews.take_form import TakeForm
from reviews.take_writing import TakeEdit, write_takes
from reviews.views import preview_of_reviewer
from shipskip.content.current import content_of
from shipskip.editing.bulk_saves import Save
from shipskip.editing.deletion_counts import listed, names_by_count
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.fields import PhrasesField
from shipskip.editing.foreign_key_fields import is_key
from shipskip.editing.publishable_admin import PublishableAdmin
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.row_locks import locked, saving
from shipskip.editing.states import StateFilter
from shipskip.web.tints import Tint
from tools.models import Tool

RADIO_SIZE = 48
"""The width of the portraits among which an editor chooses, in pixels."""


class ReviewerForm(PublishableForm[Reviewer]):
    """A reviewer; likes and dislikes are typed one per line."""

    likes = PhrasesField(required=False, help_text="One phrase per line")
    dislikes = PhrasesField(required=False, help_text="One phrase per line")

    class Meta:
        model = Reviewer
        fields = [
            *("name", "slug", "motto", "bio", "likes", "dislikes", "position"),
            *("sign", "tint", "published_at"),
        ]
        widgets = {"sign": forms.RadioSelect, "tint": forms.RadioSelect}
        help_texts = {"tint": "The colour of the portrait"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "sign" not in self.fields:
            return  # who may only view the row has no fields
        name, sign, tint = self.instance.name, self.instance.sign, self.instance.tint
        signs = [("", "A letter"), *Sign.choices]
        tints = [("", "None"), *Tint.choices]
        self.fields["sign"].widget.choices = [
            (value, _pictured(portrait(value, tint, name, RADIO_SIZE), label))
            for value, label in signs
        ]
        self.fields["tint"].widget.choices = [
            (value, _pictured(portrait(sign, value, name, RADIO_SIZE), label))
            for value, label in tints
        ]


def _pictured(picture: SafeString, label: str) -> SafeString:
    """The label of a choice, with a picture before it."""
    return format_html("{} {}", picture, label)


@admin.register(Reviewer)
class ReviewerAdmin(PublishableAdmin[Reviewer]):
    """The panel, in its order."""

    form = ReviewerForm
    list_display = ["sorted_name", "state", "motto", "position", "last_changed"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A new reviewer has the last place; on the first one it would lead the panel."""
        last = Reviewer.objects.aggregate(last=Max("position"))["last"] or 0
        return {"position": last + 1, **super().get_changeform_initial_data(request)}

    def preview_page(self, request: HttpRequest, row: Reviewer) -> HttpResponse:
        """The reviewer's page, as if they were public."""
        now = timezone.now()
        Reviewer.objects.filter(pk=row.pk).update(published_at=now)
        return preview_of_reviewer(request, content_of(request), row)

    def lost_by_withdrawal(self, rows: Sequence[Reviewer], now: datetime) -> dict[str, list[str]]:
        """The reviewers' pages, and the takes that count on public tools."""
        takes = Take.objects.published(now).by_any(rows).on_public_tools(now).for_editors()
        takes = takes.select_related("tool", "reviewer")
        own = super().lost_by_withdrawal(rows, now)
        return own | names_by_count(takes, "take", "takes")


@admin.register(Take)
class TakeAdmin(PublishableAdmin[Take]):
    """The list of all takes, and a page for each."""

    form = TakeForm
    list_display = ["tool_name", "reviewer", "state", "score", "verdict", "last_changed"]
    list_filter = [StateFilter, "verdict", "reviewer"]
    list_select_related = ["tool__category", "reviewer"]
    search_fields = ["tool__name", "tool__slug", "because", "body"]
    autocomplete_fields = ["tool", "reviewer"]
    view_on_site = False
    fixed_fields = ("tool", "reviewer")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Take]":
        """The takes on existing tools, with tool and reviewer."""
        rows = super().get_queryset(request) & Take.objects.on_existing_tools()
        return rows.select_related("tool__category", "reviewer")

    @admin.display(description="Tool", ordering=Lower("tool__name"))
    def tool_name(self, row: Take) -> str:
        """The tool's name."""
        return row.tool.labelled_name

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Take | None:
        """The take; if it is to be saved, its tool is locked before it."""
        if saving(request) and is_key(object_id):
            self.lock_parents([object_id])
        return super().get_object(request, object_id, from_field)

    def get_fields(self, request: HttpRequest, obj: Take | None = None) -> list[Any]:
        """The take's fields, and a reason for a change if readers can see the take."""
        fields = ["tool", "reviewer", "score", "verdict", "basis", "because", "body"]
        fields += self.state_and_date(request)
        if obj is None:
            return fields
        without = take_changes.Revision.of(obj).omitted_fields
        return [*fields, *(name for name in ("reason", "still_true") if name not in without)]

    def preview_page(self, request: HttpRequest, row: Take) -> HttpResponse:
        """The tool's page with the take, even if it or its reviewer was withdrawn."""
        Take.objects.filter(pk=row.pk).update(withdrawn_at=None)
        Reviewer.objects.filter(pk=row.reviewer_id).update(withdrawn_at=None)
        screen = self.admin_site.get_model_admin(Tool)
        assert isinstance(screen, PublishableAdmin)  # noqa: S101 - for the type checker
        return screen.preview_page(request, row.tool)

    def publication_obstacles(self, rows: Sequence[Take], now: datetime) -> dict[int, str]:
        """Sentences on takes without a score or a verdict, by primary key."""
        lacking = {take.pk: take_changes.unfinished(take.score, take.verdict) for take in rows}
        return {
            take.pk: f"{take} has no {' and no '.join(lacking[take.pk])}."
            for take in rows
            if lacking[take.pk]
        }

    def lost_by_withdrawal(self, rows: Sequence[Take], now: datetime) -> dict[str, list[str]]:
        """The takes on the tools' pages, and their part in the panels' verdicts."""
        one = f"the take on the page of {rows[0].tool.labelled_name}"
        return listed([row.get_absolute_url() for row in rows], one, "takes on their tools’ pages")

    def save_fields(
        self, row: Take, names: list[str] | None, before: Mapping[str, object], reason: str = ""
    ) -> None:
        """Save the take, with its history and, if readers could see what changed, the record."""
        own = [field.attname for field in Take._meta.concrete_fields]
        fields = {name: getattr(row, name) for name in (own if names is None else names)}
        if not row.pk:
            del fields["id"]
        edit = TakeEdit(row.tool_id, row.reviewer_id, fields, reason, is_new=names is None)
        row.pk = write_takes([edit], Save.of(row))[0].pk

    def lock_parents(self, pks: Sequence[int | str]) -> None:
        """Lock the tools of these takes, because tool pages save takes as well."""
        _lock_tools(Take.objects.filter(pk__in=pks).order_by().values_list("tool", flat=True))

    def restore_needs_reason(self, obj: Take, restored: Take, now: datetime) -> bool:
        """Whether the restore changes a score or verdict that readers could see."""
        differs = take_changes.judgement(obj) != take_changes.judgement(restored)
        return differs and take_changes.was_public(obj, obj.tool, now)

    def response_post_save_add(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        """Return to the list, or to the coverage table from which this take was opened."""
        self._offer_next_missing(request, obj)
        return self._to_coverage(request) or super().response_post_save_add(request, obj)

    def response_post_save_change(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        self._offer_next_missing(request, obj)
        return self._to_coverage(request) or super().response_post_save_change(request, obj)

    def _offer_next_missing(self, request: HttpRequest, take: Take) -> None:
        """For a take opened from the list of missing ones: link to the reviewer's next one."""
        if "missing" not in request.GET:
            return
        tools = Tool.objects.published(timezone.now())
        tool = Take.objects.missing_on(tools, [take.reviewer]).latest_first().first()
        if tool:
            query = f"?tool={tool.pk}&reviewer={take.reviewer_id}&missing=next"
            url = f"{reverse('admin:reviews_take_add')}{query}"
            name = f"{take.reviewer} on {tool.labelled_name}"
            messages.info(request, format_html('Next missing: <a href="{}">{}</a>', url, name))

    def _to_coverage(self, request: HttpRequest) -> HttpResponseRedirect | None:
        if "back" not in request.GET:
            return None
        filters = QueryDict(request.GET["back"]).urlencode()
        return HttpResponseRedirect(f"{reverse('admin:coverage')}?{filters}")

    def cautions_of(self, obj: Take, touched: Sequence[ConflictForm[Any]]) -> list[str]:
        """The warnings about a take that was just written."""
        return cautions.of_take(obj) if touched else []


def _lock_tools(keys: Iterable[int | str]) -> None:
    """Lock the tools with these keys (a list or a subquery), always before their takes.

    All code that saves takes uses this lock order, so that there is no deadlock.
    """
    tools = Tool.everything.filter(pk__in=keys).order_by("pk")
    list(locked(tools).values_list("pk"))
