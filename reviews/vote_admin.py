"""The admin of votes: editors void counted ones, and undo it within a day; only visitors cast or
change votes.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from reviews import voiding
from reviews.models import Voiding, Vote
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.deletion import too_many
from shipskip.editing.list_columns import tool_name
from shipskip.editing.moments import MomentField
from shipskip.web.text import validate_reason
from tools.models import Tool

UNDO = "To undo it within a day, tick it under “Voided votes” and choose “Undo”."


class ReasonActionForm(ActionForm):
    """The reason for an action on votes."""

    reason = forms.CharField(required=False, max_length=200, label="Reason")


class StateFilter(admin.SimpleListFilter):
    """Whether votes count."""

    title = parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("counted", "Counted"), ("void", "Void")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Vote]) -> QuerySet[Vote]:
        if self.value() not in ("counted", "void"):
            return queryset
        return queryset.filter(voiding__isnull=self.value() == "counted")


class VotesAdmin(BaseAdmin[M]):
    """What the two lists have in common: no row is deleted, and no single one changed."""

    list_select_related = ["tool"]
    search_fields = ["tool__name", "tool__slug"]
    search_help_text = "Tool"

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """A vote is voided with a reason, never deleted; the public record stays."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return request.user.has_perm("reviews.view_vote")

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Whether this editor may run the actions of the list; one row is only shown."""
        return obj is None and request.user.has_perm("reviews.change_vote")


@admin.register(Vote)
class VoteAdmin(VotesAdmin[Vote]):
    """Votes are read-only, except that they can be voided."""

    action_form = ReasonActionForm
    actions = ["void"]
    list_display = [tool_name, "choice", "state", "cast_at", "changed_at"]
    list_filter = [StateFilter, "choice"]
    extra_lookups = ("tool__id__exact",)  # the tool's screen links to its votes
    fields = ["tool", "choice", "state", "voiding", "cast_at", "changed_at"]
    readonly_fields = ["tool", "choice", "state", "voiding", "cast_at", "changed_at"]
    ordering = ["-pk"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Void: leave the chosen votes out", permissions=["change"])
    def void(self, request: HttpRequest, rows: QuerySet[Vote]) -> None:
        """Leave these votes out of their tallies, for a reason."""
        reason = request.POST.get("reason", "").strip()[:200]
        try:
            validate_reason(reason)
        except ValidationError as error:
            detail = f" {error.message}" if reason else ""
            message = f"Nothing was changed: enter a reason beside the action.{detail}"
            self.message_user(request, message, messages.ERROR)
            return
        if too_many(request, rows):
            return
        now, votes, changed = timezone.now(), Vote.objects.filter(pk__in=rows.values("pk")), 0
        for tool in Tool.everything.filter(votes__in=list(votes)).distinct().order_by("pk"):
            act = Voiding(tool=tool, reason=reason, by_id=request.user.pk, voided_at=now)
            changed += voiding.void(act, votes)
        self.message_user(request, f"{_are(changed)} now void. {UNDO if changed else ''}".strip())

    @admin.display(description="State")
    def state(self, row: Vote) -> str:
        """Whether the vote counts."""
        return "Void" if row.voiding_id else "Counted"


class VoidingForm(forms.ModelForm):  # type: ignore[type-arg]
    """The votes on a tool between two moments, and the reason to void them."""

    since = MomentField(label="From", help_text="Cast or last changed at or after it.")
    until = MomentField(label="Before")
    reason = forms.CharField(
        max_length=200,
        validators=[validate_reason],
        help_text="One line. Readers see it on the tool’s page, with the number of votes.",
    )

    class Meta:
        model = Voiding
        fields = ["tool", "since", "until", "reason"]

    def clean(self) -> None:
        """Refuse a period without a counted vote."""
        super().clean()
        if not self.errors and not self.votes().counted().exists():
            raise ValidationError("No vote that counts lies between these moments.")

    def votes(self) -> Any:
        """The votes that the form is about."""
        return Vote.objects.between(*(self.cleaned_data[n] for n in ("tool", "since", "until")))


@admin.register(Voiding)
class VoidingAdmin(VotesAdmin[Voiding]):
    """The public record of voided votes; a new entry voids the votes of one tool between two
    moments.
    """

    form = VoidingForm
    actions = ["undo"]
    list_display = [tool_name, "votes", "reason", "by", "voided_at", "undone_at"]
    list_select_related = ["tool", "by"]
    autocomplete_fields = ["tool"]
    ordering = ["-pk"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("reviews.change_vote")

    def get_fields(self, request: HttpRequest, obj: Voiding | None = None) -> Any:
        """The form's fields; of an earlier entry all that is known."""
        typed = ["tool", "since", "until", "reason"]
        return [*typed, "votes", "by", "voided_at", "undone_at"] if obj else typed

    def save_model(self, request: HttpRequest, obj: Voiding, form: Any, change: object) -> None:
        obj.by_id, obj.voided_at = request.user.pk, timezone.now()
        changed = voiding.void(obj, form.votes())
        self.message_user(request, f"{_are(changed)} now void. {UNDO}")

    @admin.action(description="Undo: count the votes again", permissions=["change"])
    def undo(self, request: HttpRequest, rows: QuerySet[Voiding]) -> None:
        """Count the votes again that were voided within a day."""
        now, late, changed = timezone.now(), 0, 0
        for row in rows.select_related("tool"):
            if row.voided_at + voiding.UNDO_WITHIN > now:
                changed += voiding.undo(row, now)
            else:
                late += 1
        self.message_user(request, f"{_are(changed)} counted again.")
        if late:
            message = f"{late} of the chosen entries are older than a day and stay void."
            self.message_user(request, message, messages.WARNING)


def _are(number: int) -> str:
    return f"{number} vote is" if number == 1 else f"{number} votes are"
