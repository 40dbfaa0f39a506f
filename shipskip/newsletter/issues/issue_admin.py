"""The admin of issues: entries, preview, schedule, cancellation and sending progress."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from csp.decorators import csp
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from shipskip.editing import draft_recovery
from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.fields import MarkdownField, MarkdownInput
from shipskip.editing.foreign_key_fields import is_key
from shipskip.editing.moments import moment_in_words
from shipskip.newsletter.delivery.messages import preview, send_test
from shipskip.newsletter.issues import composing, scheduling
from shipskip.newsletter.issues.entry_admin import EntryInline, OwnEntryInline
from shipskip.newsletter.issues.issue_forms import (
    CorrectionForm,
    IssueForm,
    MomentForm,
    TestMailForm,
    error_text,
    pressed_button,
)
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber
from shipskip.web.htmx import see_other

MAIL_POLICY = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
}
"""The Content-Security-Policy of the mail preview: inline styles are allowed, nothing else."""

require_get_or_post = require_http_methods(["GET", "HEAD", "POST"])

TEST_ADDRESS = "newsletter test address"
"""The session key of the address of the last test mail."""


@admin.register(Issue)
class IssueAdmin(BaseAdmin[Issue]):
    """Issues: composed by rule, edited by an editor, sent by `manage.py newsletter`."""

    form = IssueForm
    recovers_drafts = True
    fields = ["subject", "introduction"]
    list_display = ["__str__", "subject", "state_in_words", "progress"]
    change_form_template = "admin/issue.html"
    change_list_template = "admin/issues.html"
    formfield_overrides = {models.TextField: {"form_class": MarkdownField, "widget": MarkdownInput}}

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Issue]:
        """Without the bodies of their snapshots."""
        return Issue.objects.latest_first().defer("html", "text")

    def get_inlines(self, request: HttpRequest, obj: Issue | None) -> list[Any]:
        """An issue of the editor's own has no entries by rule."""
        return [OwnEntryInline] if obj and obj.is_own else [EntryInline, OwnEntryInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Issues are only composed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        """Issues are cancelled, not deleted."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        """Only before the sending starts."""
        return super().has_change_permission(request, obj) and (obj is None or obj.is_editable)

    def get_view_on_site_url(self, obj: Issue | None = None) -> str | None:
        """The page in the archive, if there is one."""
        if obj is None or not Issue.objects.archived().filter(pk=obj.pk).exists():
            return None
        return obj.get_absolute_url()

    @admin.display(description="State")
    def state_in_words(self, row: Issue) -> str:
        """The state, and since when (or for when) it applies."""
        at = row.cancelled_at or row.sent_at or row.frozen_at or row.scheduled_at
        since = "for" if row.state == "scheduled" else "since"
        return f"{row.state.capitalize()} {since} {moment_in_words(at)}" if at else "Draft"

    @admin.display(description="Mails")
    def progress(self, row: Issue) -> str:
        """How many of its mails were accepted."""
        return f"{row.accepted:,} of {row.recipients:,}" if row.frozen_at else ""

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """The form, with the issue's actions beside it; their buttons save the form first.

        The action runs after the save is committed, so that no lock waits for a slow mail server.
        """
        rows = self.get_queryset(request)
        issue = rows.filter(pk=object_id).first() if is_key(object_id) else None
        if issue is None:
            return super().change_view(request, object_id, form_url, extra_context)
        if issue.is_editable:
            draft_recovery.fill_in(request)
        elif request.method == "POST" and super().has_change_permission(request):
            messages.error(request, f"Nothing was saved: this issue is {issue.state}.")
            return self.redirect_to("change", issue.pk)
        context = self._action_context(request, issue) | (extra_context or {})
        response = super().change_view(request, object_id, form_url, context)
        actions = {
            "test": self._send_test,
            "schedule": self._schedule,
            "unschedule": self._unschedule,
        }
        action = actions.get(pressed_button(request))
        if action and isinstance(response, HttpResponseRedirect):
            action(request, self._issue_to_change(request, issue.pk))
        return response

    def response_change(self, request: HttpRequest, obj: Issue) -> HttpResponse:
        """Redirect to the issue for an action, which reports the save too; else as Django does."""
        if pressed_button(request):
            return self.redirect_to("change", obj.pk)
        return super().response_change(request, obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The list, with the button that makes the next issue."""
        may_compose = self.has_change_permission(request)
        more: dict[str, object] = {"may_compose": may_compose, "draft_day": composing.DRAFT_DAY}
        return super().changelist_view(request, {**more, **(extra_context or {})})

    @method_decorator(csp(MAIL_POLICY))
    def mail_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The HTML mail as a separate page with its own content security policy."""
        html, _ = preview(self._issue_to_view(request, pk))
        return HttpResponse(html)

    def text_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The mail as plain text."""
        _, text = preview(self._issue_to_view(request, pk))
        return HttpResponse(text, content_type="text/plain; charset=utf-8")

    def progress_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The sending progress: a fragment that the page polls."""
        issue = self._issue_to_view(request, pk)
        context = {"original": issue, "counts": counts_by_state(issue)}
        if not request.headers.get("HX-Request"):
            return self.redirect_to("change", issue.pk)
        return render(request, "admin/_issue_progress.html", context)

    def compose_view(self, request: HttpRequest) -> HttpResponse:
        """Compose the next issue by rule and show it."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        return self._to_new_issue(request, composing.compose, "Made by rule.")

    def compose_own_view(self, request: HttpRequest) -> HttpResponse:
        """Create an issue of the editor's own text, without any change of verdict, and show it."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        return self._to_own_issue(request, "From the editors")

    def _to_new_issue(
        self, request: HttpRequest, compose: Callable[[datetime], Issue], log: str
    ) -> HttpResponse:
        """Compose an issue and show it; if none is made, say why."""
        try:
            issue = compose(timezone.now())
        except composing.NoIssueError as error:
            messages.info(request, str(error))
            if error.issue:
                return self.redirect_to("change", error.issue.pk)
            return see_other(reverse("admin:newsletter_issue_changelist"))
        self.log_change(request, issue, log)
        return self.redirect_to("change", issue.pk)

    def correct_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The dated note on the archive page of an issue that was sent, and a mail with it."""
        issue = self._issue_to_change(request, pk)
        if not Issue.objects.archived().filter(pk=pk).exists():
            messages.warning(request, "It has no page in the archive: change the issue itself.")
            return self.redirect_to("change", issue.pk)
        form = CorrectionForm(instance=issue)
        if request.method == "POST":
            form = CorrectionForm(request.POST, instance=issue)
        if form.is_valid():
            if "correction" in form.changed_data:
                issue.corrected_at = timezone.now() if issue.correction else None
                issue.save(update_fields=["correction", "corrected_at"])
                self.log_change(request, issue, f"Corrected: {issue.correction[:200]}")
            if form.cleaned_data["send"] and issue.correction:
                subject = f"Correction: {issue.frozen_subject}"[:200]
                return self._to_own_issue(request, subject, issue)
            messages.success(request, "The page in the archive shows it now.")
            return self.redirect_to("change", issue.pk)
        own = {"original": issue, "form": form, "title": f"Correct {issue}"}
        return render(request, "admin/issue_correct.html", self.page_context(request) | own)

    def _to_own_issue(
        self, request: HttpRequest, subject: str, corrected: Issue | None = None
    ) -> HttpResponse:
        introduction = ""
        if corrected:
            link = f"[{corrected}]({corrected.get_absolute_url()})"
            introduction = f"{corrected.correction}\n\nThis corrects our mail {link}."
        own = partial(composing.compose_own, subject=subject, introduction=introduction)
        return self._to_new_issue(request, own, "Made with an editor’s own text.")

    def cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show a confirmation page; on POST cancel the issue, before or during sending."""
        issue = self._issue_to_change(request, pk)
        if request.method != "POST" and issue.state not in ("sent", "cancelled"):
            own = {"original": issue, "title": f"Cancel {issue}?"}
            return render(request, "admin/issue_cancel.html", self.page_context(request) | own)
        skipped = scheduling.cancel(issue, timezone.now()) if request.method == "POST" else None
        if skipped is None:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")
            return self.redirect_to("change", issue.pk)
        self.log_change(request, issue, "Cancelled.")
        skipped_text = f" {skipped:,} waiting mails are not sent." if issue.frozen_at else ""
        messages.success(request, f"{issue} is cancelled.{skipped_text}")
        return self.redirect_to("change", issue.pk)

    def _send_test(self, request: HttpRequest, issue: Issue) -> None:
        """Send a test mail to an address; the session stores it as the next default."""
        form = TestMailForm(request.POST)
        if not form.is_valid():
            messages.error(request, f"Your text is saved, but no test was sent. {error_text(form)}")
            return
        address = request.session[TEST_ADDRESS] = form.cleaned_data["address"].typed
        reason = send_test(issue, address)
        if reason:
            messages.error(request, f"Your text is saved, but the test was not sent: {reason}")
        else:
            messages.success(request, f"Your text is saved, and a test was sent to {address}.")

    def _schedule(self, request: HttpRequest, issue: Issue) -> None:
        """Schedule the issue."""
        form, fault = MomentForm(request.POST), ""
        if form.is_valid():
            try:
                scheduling.schedule(issue, form.cleaned_data["moment"])
            except scheduling.ScheduleError as refused:
                fault = str(refused)
        else:
            fault = error_text(form)
        if fault or issue.scheduled_at is None:
            messages.error(request, f"Your text is saved, but the schedule is unchanged. {fault}")
            return
        self.log_change(request, issue, f"Scheduled for {moment_in_words(issue.scheduled_at)}.")
        messages.success(
            request, f"Your text is saved, and the issue is scheduled. {_recipients()}"
        )

    def _unschedule(self, request: HttpRequest, issue: Issue) -> None:
        """Make the issue a draft again."""
        if scheduling.unschedule(issue):
            self.log_change(request, issue, "Removed from the schedule.")
            messages.success(request, "Your text is saved, and the issue is a draft again.")
        else:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")

    def _action_context(self, request: HttpRequest, issue: Issue) -> dict[str, object]:
        """The template context of the actions beside the form."""
        offered = request.session.get(TEST_ADDRESS) or getattr(request.user, "email", "")
        moment_form = MomentForm(initial={"moment": issue.scheduled_at})
        test_form = TestMailForm(initial={"address": offered})
        if request.method == "POST":
            moment_form, test_form = MomentForm(request.POST), TestMailForm(request.POST)
        return {
            "counts": counts_by_state(issue) if issue.frozen_at else [],
            "is_open": issue.is_editable,
            "may_act": bool(request.user.has_perm("newsletter.change_issue")),
            "state_in_words": self.state_in_words(issue),
            "recipients": "" if issue.frozen_at else _recipients(),
            "moment_form": moment_form,
            "test_form": test_form,
        }

    def _issue_to_view(self, request: HttpRequest, pk: int) -> Issue:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(Issue, pk=pk)

    def _issue_to_change(self, request: HttpRequest, pk: int) -> Issue:
        if not super().has_change_permission(request):
            raise PermissionDenied
        return self._issue_to_view(request, pk)


IssueAdmin.page("compose/", "compose", require_POST)(IssueAdmin.compose_view)
IssueAdmin.page("compose-own/", "compose_own", require_POST)(IssueAdmin.compose_own_view)
IssueAdmin.page("<int:pk>/correct/", "correct", require_get_or_post)(IssueAdmin.correct_view)
IssueAdmin.page("<int:pk>/mail/", "mail", require_safe)(IssueAdmin.mail_view)
IssueAdmin.page("<int:pk>/text/", "text", require_safe)(IssueAdmin.text_view)
IssueAdmin.page("<int:pk>/progress/", "progress", require_safe)(IssueAdmin.progress_view)
IssueAdmin.page("<int:pk>/cancel/", "cancel", require_get_or_post)(IssueAdmin.cancel_view)


def counts_by_state(issue: Issue) -> list[tuple[str, int]]:
    """How many mails of an issue are in each state, in the order of the states; one query."""
    rows = Delivery.objects.filter(issue=issue).order_by().values_list("state")
    found = dict(rows.annotate(number=Count("pk")).values_list("state", "number"))
    return [(label, found[state]) for state, label in DeliveryState.choices if state in found]


def _recipients() -> str:
    """How many subscribers get it; one query."""
    number = Subscriber.objects.confirmed().count()
    return f"It goes to {number:,} subscriber{pluralize(number)}."
