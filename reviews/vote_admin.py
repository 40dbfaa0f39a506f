"""The admin of votes: editors read, release and void them; only visitors cast or change them."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.utils import timezone

from reviews import ballot
from reviews.models import Vote, VoteState
from shipskip.editing import ticked_rows
from shipskip.editing.list_admin import ListAdmin
from shipskip.editing.list_columns import names_and_taglines
from shipskip.web.text import validate_reason


class ReasonForm(ActionForm):
    """The reason for an action on votes."""

    reason = forms.CharField(required=False, max_length=200, label="Reason")


@admin.register(Vote)
class VoteAdmin(ListAdmin[Vote]):
    """Votes are read-only, except that they can be released and voided."""

    list_display = ["tool_name", "choice", "state", "reason", "cast_at"]
    list_filter = ["state", "choice"]
    extra_lookups = ("tool__id__exact",)  # the tool's screen leads here with its votes
    list_select_related = ["tool"]
    search_fields = ["tool__name", "tool__slug", "state"]
    search_help_text = "Tool or state"
    readonly_fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    ordering = ["-pk"]
    show_full_result_count = False
    action_form = ReasonForm
    actions = ["release", "void"]

    @admin.display(description="Tool", ordering=Lower("tool__name"))
    def tool_name(self, row: Vote) -> str:
        """The tool's name, with its tagline below."""
        return names_and_taglines((row.tool.name, row.tool.tagline))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only visitors cast votes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Vote | None = None) -> bool:
        """A vote is voided with a reason, never deleted."""
        return False

    @admin.action(description="Release: count the chosen votes", permissions=["change"])
    def release(self, request: HttpRequest, votes: QuerySet[Vote]) -> None:
        """Count these votes, for a reason."""
        self._decide(request, votes, VoteState.COUNTED)

    @admin.action(description="Void: leave the chosen votes out", permissions=["change"])
    def void(self, request: HttpRequest, votes: QuerySet[Vote]) -> None:
        """Leave these votes out of the tally, for a reason."""
        self._decide(request, votes, VoteState.VOID)

    def _decide(self, request: HttpRequest, votes: QuerySet[Vote], state: VoteState) -> None:
        reason = request.POST.get("reason", "").strip()[:200]
        try:
            validate_reason(reason)
        except ValidationError as fault:
            detail = f" {fault.message}" if reason else ""
            message = f"Nothing was changed: write a reason beside the action.{detail}"
            ticked_rows.keep(request)
            self.message_user(request, message, messages.ERROR)
            return
        ids = list(votes.values_list("pk", flat=True))
        changed = ballot.decide(ids, state, reason, timezone.now())
        votes_are = "vote is" if changed == 1 else "votes are"
        same = f" {len(ids) - changed} already had this state." if changed < len(ids) else ""
        self.message_user(request, f"{changed} {votes_are} now {state.label.lower()}.{same}")
