"""The desk's queue of readers' reports, and the public record of what was decided."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.decorators import permission_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timesince
from django.views.decorators.http import require_POST

from shipskip.editing.admin_base import BaseAdmin, View
from shipskip.editing.foreign_key_fields import is_key
from shipskip.reports import deciding, mails
from shipskip.reports.deciding import DecidedError, Words
from shipskip.reports.models import LONGEST_DECISION, Decision, Report, Result
from shipskip.reports.stated import edit_url, fills_in, stated
from shipskip.web.htmx import see_other
from shipskip.web.text import validate_characters, validate_reason

MAY_DECIDE = "reports.change_report"
MAX_OTHERS = 20
"""How many further reports of a network the page of one lists."""

BY_COLLEAGUE = "Nothing was changed: a colleague has decided this report already."


class DecideForm(forms.Form):
    """The editor's words for readers, and which button was pressed."""

    wrong = forms.CharField(
        label="What was wrong",
        max_length=LONGEST_DECISION,
        validators=[validate_reason],
        widget=forms.TextInput({"class": "vTextField"}),
        error_messages={"required": "Say what was wrong, in your own words for readers."},
    )
    outcome = forms.CharField(
        label="What became of it",
        max_length=LONGEST_DECISION,
        validators=[validate_reason],
        widget=forms.TextInput({"class": "vTextField"}),
        error_messages={"required": "Say what you change, or why nothing changes."},
    )
    result = forms.ChoiceField(
        choices=[(Result.ACCEPTED, "Accept"), (Result.DECLINED, "Decline")],
        error_messages={"required": "Press Accept or Decline."},
    )


class AskForm(forms.Form):
    """What an editor asks the reporter."""

    question = forms.CharField(
        label="Question",
        max_length=2_000,
        validators=[validate_characters],
        widget=forms.Textarea({"rows": 4, "class": "vLargeTextField"}),
        error_messages={"required": "Write the question."},
    )


class SpamForm(forms.Form):
    """Confirms that a report is spam, or all of its network are."""

    sure = forms.BooleanField(error_messages={"required": "Tick that the text is to be deleted."})
    everything = forms.BooleanField(required=False)


class Queue(ChangeList):
    """The oldest undecided report of each network and day, oldest first."""

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: list[str | None] | None = None
    ) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        queue = Report.objects.one_of_each_network().select_related("tool")
        return queue.filter(pk__in=rows.order_by().values("pk"))


@admin.register(Report)
class ReportAdmin(BaseAdmin[Report]):
    """Reports wait here, the oldest first; an editor accepts, declines, asks or marks as spam."""

    list_display = ["what", "waits", "answer", "of_network"]
    list_display_links = ["what"]
    ordering = ["reported_at", "pk"]
    fields = ()
    change_form_template = "admin/report.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Queue

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only readers write reports."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        """No field is editable; the acts have their own URLs."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        """Spam is deleted by its own button; the rest by age."""
        return False

    @admin.display(description="Report")
    def what(self, row: Report) -> str:
        """What it is about."""
        return row.name

    @admin.display(description="Waits")
    def waits(self, row: Report) -> str:
        """How long it has waited."""
        return timesince(row.reported_at, depth=1)

    @admin.display(description="Question")
    def answer(self, row: Report) -> str:
        """Whether the reporter was asked, and answered."""
        if row.replied_at:
            return "Answered"
        return "Asked" if row.asked_at else ""

    @admin.display(description="Of this network")
    def of_network(self, row: Report) -> str:
        """How many reports of its network and day the line stands for."""
        total = getattr(row, "of_network_total", 1)
        return f"{total} reports" if total > 1 else ""

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """One report beside what the site says, with the acts for permitted editors."""
        reports = Report.objects.select_related("tool", "decision__by")
        row = reports.filter(pk=int(object_id)).first() if is_key(object_id) else None
        context: dict[str, object] = {"title": "Report"}
        if row:
            others = Report.objects.of_network(row).exclude(pk=row.pk).select_related("tool")
            undecided = row.decision is None
            context |= {
                "report": row,
                "stated": stated(row),
                "edit_url": edit_url(row),
                "fills_in": fills_in(row),
                "others": list(others[:MAX_OTHERS]) if undecided else [],
                "others_total": others.count() if undecided else 0,
                "may_decide": undecided and request.user.has_perm(MAY_DECIDE),
                "decide": DecideForm(),
                "ask": AskForm(),
                "spam": SpamForm(),
            }
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def again(self, request: HttpRequest, pk: int, **forms: forms.Form) -> HttpResponse:
        """The report's page with a form that has an error, and all that was typed."""
        request.method = "GET"  # the same page, for reading
        for form in forms.values():
            for errors in form.errors.values():
                messages.error(request, f"Nothing was changed. {errors[0]}")
        response = self.change_view(request, str(pk), extra_context=dict(forms))
        response.status_code = 400
        return response

    def decide_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Accept, and go on to the fact; or decline, and go on to the queue."""
        report = get_object_or_404(Report, pk=pk)
        form = DecideForm(request.POST)
        if not form.is_valid():
            return self.again(request, pk, decide=form)
        result = Result(form.cleaned_data["result"])
        words = Words(form.cleaned_data["wrong"], form.cleaned_data["outcome"])
        try:
            report.decision = deciding.decide(
                report, result, words, request.user.pk, timezone.now()
            )
        except DecidedError:
            messages.warning(request, BY_COLLEAGUE)
            return self.redirect_to("change", pk)
        mailed = self._mail(request, report, mails.send_decision)
        messages.success(
            request,
            f"The report is {result}; readers see it under “Corrections” within a second.{mailed}",
        )
        if result is Result.ACCEPTED:
            return see_other(edit_url(report))
        return see_other(reverse("admin:reports_report_changelist"))

    def ask_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask the reporter by mail; their page shows the question too."""
        report = get_object_or_404(Report, pk=pk)
        form = AskForm(request.POST)
        if not form.is_valid():
            return self.again(request, pk, ask=form)
        question = form.cleaned_data["question"]
        try:
            deciding.ask(report, question, timezone.now())
        except DecidedError:
            messages.warning(request, BY_COLLEAGUE)
            return self.redirect_to("change", pk)
        report.question = question
        self.log_change(request, report, "Asked the reporter.")
        mailed = self._mail(request, report, mails.send_question)
        messages.success(request, f"The reporter’s page shows your question.{mailed}")
        return self.redirect_to("change", pk)

    def spam_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Delete a report as spam, or all that came from its network that day."""
        report = get_object_or_404(Report, pk=pk)
        form = SpamForm(request.POST)
        if not form.is_valid():
            return self.again(request, pk, spam=form)
        rows = [report]
        if form.cleaned_data["everything"] and report.network:
            rows = list(Report.objects.of_network(report))
        number = deciding.mark_as_spam(rows, request.user.pk, timezone.now())
        if number:
            what = "1 report" if number == 1 else f"{number} reports"
            messages.success(request, f"Deleted as spam: {what}. Only their number is kept.")
        else:
            messages.warning(request, BY_COLLEAGUE)
        return see_other(reverse("admin:reports_report_changelist"))

    def _mail(self, request: HttpRequest, report: Report, send: Callable[[Report], str]) -> str:
        """Mail the reporter if they gave an address; return a sentence about it."""
        if not report.address:
            return ""
        if reason := send(report):
            text = f"The mail to the reporter was not accepted: {reason}. Their page has the text."
            messages.warning(request, text)
            return ""
        return " The reporter gets a mail."


def _act(view: View) -> View:
    """A view that answers POST, for editors with the permission to decide."""
    return require_POST(permission_required(MAY_DECIDE, raise_exception=True)(view))


ReportAdmin.page("<int:pk>/decide/", "decide", _act)(ReportAdmin.decide_view)
ReportAdmin.page("<int:pk>/ask/", "ask", _act)(ReportAdmin.ask_view)
ReportAdmin.page("<int:pk>/spam/", "spam", _act)(ReportAdmin.spam_view)


@admin.register(Decision)
class DecisionAdmin(BaseAdmin[Decision]):
    """What was decided; only its words for readers can be changed."""

    list_display = ["name", "result", "outcome", "by", "decided_at"]
    list_filter = ["result"]
    list_select_related = ["tool", "by"]
    search_fields = ["tool__name", "tool__slug", "wrong", "outcome"]
    fields = ["name", "result", "wrong", "outcome", "reported_at", "decided_at", "by"]
    readonly_fields = ["name", "result", "reported_at", "decided_at", "by"]
    ordering = ["-decided_at", "-pk"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Decisions are made on reports."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Decision | None = None) -> bool:
        """Entries of the public record are never deleted."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Decision | None = None) -> bool:
        """The words of a decision can be corrected; spam has none."""
        is_spam = obj is not None and obj.result == Result.SPAM
        return not is_spam and super().has_change_permission(request, obj)
