"""The admin of votes: editors release and void them, alone or as a group that was held; only
visitors cast or change them.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from reviews import held_groups
from reviews.charts import acts_by_hour
from reviews.models import HeldGroup, Vote, VoteState
from shipskip.editing import selected_rows
from shipskip.editing.actions import too_many
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.list_columns import names_and_taglines
from shipskip.web.text import validate_reason

DECISIONS = [
    (VoteState.COUNTED.value, "Release: count them"),
    (VoteState.VOID.value, "Void: leave them out"),
]


class DecisionReasonForm(ActionForm):
    """The reason for an action on votes."""

    reason = forms.CharField(required=False, max_length=200, label="Reason")


class DecidingAdmin(BaseAdmin[M]):
    """A list whose rows are released or voided, with a reason."""

    show_full_result_count = False
    action_form = DecisionReasonForm
    actions = ["release", "void"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only visitors cast votes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """A vote is voided with a reason, never deleted."""
        return False

    @admin.action(description="Release: count the chosen votes", permissions=["change"])
    def release(self, request: HttpRequest, rows: QuerySet[M]) -> None:
        """Count these votes, for a reason."""
        self._decide(request, rows, VoteState.COUNTED)

    @admin.action(description="Void: leave the chosen votes out", permissions=["change"])
    def void(self, request: HttpRequest, rows: QuerySet[M]) -> None:
        """Leave these votes out of the tally, for a reason."""
        self._decide(request, rows, VoteState.VOID)

    def decide(self, rows: QuerySet[M], state: str, reason: str, now: datetime) -> int:
        """Release or void the votes of these rows; return how many changed."""
        raise NotImplementedError

    def _decide(self, request: HttpRequest, rows: QuerySet[M], state: VoteState) -> None:
        reason = request.POST.get("reason", "").strip()[:200]
        try:
            validate_reason(reason)
        except ValidationError as error:
            detail = f" {error.message}" if reason else ""
            message = f"Nothing was changed: enter a reason beside the action.{detail}"
            selected_rows.keep(request)
            self.message_user(request, message, messages.ERROR)
            return
        if too_many(request, rows):
            return
        self._tell(request, self.decide(rows, state, reason, timezone.now()), state)

    def _tell(self, request: HttpRequest, changed: int, state: str) -> None:
        are = "vote is" if changed == 1 else "votes are"
        self.message_user(request, f"{changed} {are} now {state}.")


@admin.register(Vote)
class VoteAdmin(DecidingAdmin[Vote]):
    """Votes are read-only, except that they can be released and voided."""

    list_display = ["tool_name", "choice", "state", "reason", "cast_at"]
    list_filter = ["state", "choice"]
    extra_lookups = ("tool__id__exact",)  # the tool's screen links to its votes
    list_select_related = ["tool"]
    search_fields = ["tool__name", "tool__slug", "state"]
    search_help_text = "Tool or state"
    readonly_fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    ordering = ["-pk"]

    def has_change_permission(self, request: HttpRequest, obj: Vote | None = None) -> bool:
        """Whether this editor may decide about votes of the list; one vote is only shown."""
        return obj is None and super().has_change_permission(request)

    def decide(self, rows: QuerySet[Vote], state: str, reason: str, now: datetime) -> int:
        """Decide about these votes."""
        return held_groups.decide(list(rows.values_list("pk", flat=True)), state, reason, now)

    @admin.display(description="Tool", ordering=Lower("tool__name"))
    def tool_name(self, row: Vote) -> str:
        """The tool's name, with its tagline below."""
        return names_and_taglines((row.tool.labelled_name, row.tool.tagline))


class DecisionForm(forms.ModelForm):  # type: ignore[type-arg]
    """Releases or voids a group, for a reason."""

    decision = forms.ChoiceField(
        choices=DECISIONS,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose whether these votes are released or void."},
    )
    reason = forms.CharField(
        max_length=200,
        validators=[validate_reason],
        error_messages={"required": "Enter the reason for the decision."},
    )
    opened = forms.CharField(widget=forms.HiddenInput)
    """The group's state when the form was opened."""

    class Meta:
        model = HeldGroup
        fields = ["reason"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Fill in the group's state."""
        super().__init__(*args, **kwargs)
        self.initial["opened"] = self.instance.state

    def clean(self) -> None:
        """Refuse the decision if another editor has decided meanwhile."""
        super().clean()
        if self.cleaned_data.get("opened") != self.instance.state:
            raise ValidationError("Another editor has decided meanwhile: open the group again.")


@admin.register(HeldGroup)
class HeldGroupAdmin(DecidingAdmin[HeldGroup]):
    """The held votes of one network on one tool and day, and the decision on them."""

    form = DecisionForm
    list_display = ["tool_name", "day", "held_votes", "ship", "skip", "changed", "state", "reason"]
    list_filter = ["state"]
    list_select_related = ["tool"]
    search_fields = ["tool__name", "tool__slug"]
    search_help_text = "Tool"
    readonly_fields = ["tool", "day", "held_votes", "ship", "skip", "changed", "acts", "state"]
    ordering = ["-day", "pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[HeldGroup]:
        """Groups with the numbers of their votes."""
        return HeldGroup.objects.with_counts().order_by(*self.ordering)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The group and the decision; one button saves it."""
        context = {"show_save_and_continue": False} | (extra_context or {})
        return super().change_view(request, object_id, form_url, context)

    def get_fieldsets(self, request: HttpRequest, obj: HeldGroup | None = None) -> Any:
        """The group and its reason; the decision for those who may take it."""
        may = ["decision", "opened"] if self.has_change_permission(request, obj) else []
        return [(None, {"fields": [*self.readonly_fields, "reason", *may]})]

    def has_view_permission(self, request: HttpRequest, obj: HeldGroup | None = None) -> bool:
        """Whether this editor may see votes, and so their groups."""
        return request.user.has_perm("reviews.view_vote")

    def has_change_permission(self, request: HttpRequest, obj: HeldGroup | None = None) -> bool:
        """Whether this editor may decide about votes, and so about groups."""
        return request.user.has_perm("reviews.change_vote")

    def decide(self, rows: QuerySet[HeldGroup], state: str, reason: str, now: datetime) -> int:
        """Decide about these groups."""
        return sum(held_groups.decide_group(group, state, reason, now) for group in rows)

    def save_model(self, request: HttpRequest, obj: HeldGroup, form: Any, change: object) -> None:
        """Apply the decision of the form to the group."""
        state, reason = form.cleaned_data["decision"], form.cleaned_data["reason"]
        self._tell(request, held_groups.decide_group(obj, state, reason, timezone.now()), state)

    @admin.display(description="Tool", ordering="tool__name")
    def tool_name(self, group: HeldGroup) -> str:
        """The tool's name without its tagline, so that the numbers beside it are visible."""
        return group.tool.name

    @admin.display(description="Votes", ordering="held_votes")
    def held_votes(self, group: HeldGroup) -> int:
        """How many votes were held."""
        return group.held_votes

    @admin.display(ordering="ship")
    def ship(self, group: HeldGroup) -> int:
        """How many of them are ship."""
        return group.ship

    @admin.display(ordering="skip")
    def skip(self, group: HeldGroup) -> int:
        """How many of them are skip."""
        return group.skip

    @admin.display(description="Changed later", ordering="changed")
    def changed(self, group: HeldGroup) -> int:
        """How many of them were changed after they were cast."""
        return group.changed

    @admin.display(description="Ship and skip over time")
    def acts(self, group: HeldGroup) -> str:
        """The acts that were held, by hour."""
        return acts_by_hour(group.acts_by_hour())
