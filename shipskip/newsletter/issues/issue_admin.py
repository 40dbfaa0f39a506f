"""The admin of issues: entries, preview, schedule, cancellation and sending progress."""

from collections.abc import Callable

from csp.decorators import csp
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, models
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from shipskip.editing import draft_recovery
from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.fields import MarkdownField, MarkdownInput
from shipskip.editing.moments import moment_in_words
from shipskip.newsletter.delivery.messages import preview, send_test
from shipskip.newsletter.issues import composing, scheduling
from shipskip.newsletter.issues.entry_admin import EntryInline
from shipskip.newsletter.issues.issue_forms import (
    IssueForm,
    MomentForm,
    TestMailForm,
    error_text,
    pressed_button,
)
from shipskip.newsletter.issues.sending_estimate import estimate_in_words
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
    """Issues: composed by rule, edited by an editor, sent by `send_newsletter`."""

    form = IssueForm
    recovers_drafts = True
    fields = ["subject", "introduction"]
    inlines = [EntryInline]
    list_display = ["__str__", "subject", "state_in_words", "progress"]
    list_per_page = 50
    show_full_result_count = False
    change_form_template = "admin/issue.html"
    change_list_template = "admin/issues.html"
    formfield_overrides = {models.TextField: {"form_class": MarkdownField, "widget": MarkdownInput}}
    actions = None

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Issue]:
        """With the counts of their mails, without the bodies of their snapshots."""
        return Issue.objects.with_counts().latest_first().defer("html", "text")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Issues are only composed by rule."""
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
        return f"{row.sent_mails:,} of {row.recipients:,}" if row.frozen_at else ""

    def get_urls(self) -> list[URLPattern]:
        """Put our own actions before Django's URLs, which match any path."""
        actions: dict[str, tuple[Callable[..., HttpResponse], str]] = {
            "compose/": (self.compose_view, "compose"),
            "<int:pk>/mail/": (self.mail_view, "mail"),
            "<int:pk>/text/": (self.text_view, "text"),
            "<int:pk>/progress/": (self.progress_view, "progress"),
            "<int:pk>/again/": (self.again_view, "again"),
            "<int:pk>/again/undo/": (self.undo_again_view, "undo_again"),
            "<int:pk>/cancel/": (self.cancel_view, "cancel"),
            "<int:pk>/cancel/undo/": (self.undo_cancel_view, "undo_cancel"),
        }
        own = [
            path(route, self.admin_site.admin_view(view), name=f"newsletter_issue_{name}")
            for route, (view, name) in actions.items()
        ]
        return [*own, *super().get_urls()]

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
        issue = self.get_object(request, object_id)
        if issue is None:
            return super().change_view(request, object_id, form_url, extra_context)
        if issue.is_editable:
            draft_recovery.fill_in(request)
        elif request.method == "POST" and super().has_change_permission(request):
            messages.error(request, f"Nothing was saved: this issue is {issue.state}.")
            return self._to_issue(issue)
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
        button = pressed_button(request)
        if button == "again":
            return see_other(reverse("admin:newsletter_issue_again", args=[obj.pk]))
        return self._to_issue(obj) if button else super().response_change(request, obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The list, with the button that makes the next issue."""
        more = {"may_compose": self.has_change_permission(request)}
        return super().changelist_view(request, {**more, **(extra_context or {})})

    @method_decorator(require_safe)
    @method_decorator(csp(MAIL_POLICY))
    def mail_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The HTML mail as a separate page with its own content security policy."""
        html, _ = preview(self._issue_to_view(request, pk), timezone.now())
        return HttpResponse(html)

    @method_decorator(require_safe)
    def text_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The mail as plain text."""
        _, text = preview(self._issue_to_view(request, pk), timezone.now())
        return HttpResponse(text, content_type="text/plain; charset=utf-8")

    @method_decorator(require_safe)
    def progress_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The sending progress: a fragment that the page polls."""
        issue = self._issue_to_view(request, pk)
        context = {"original": issue, "counts": counts_by_state(issue)}
        if not request.headers.get("HX-Request"):
            return self._to_issue(issue)
        return render(request, "admin/_issue_progress.html", context)

    @method_decorator(require_POST)
    def compose_view(self, request: HttpRequest) -> HttpResponse:
        """Compose the next issue by rule and show it."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        now = timezone.now()
        try:
            issue = composing.compose(now)
        except composing.OpenIssueError as error:
            messages.info(request, f"{error}: finish or cancel this one first.")
            return self._to_issue(error.issue)
        except IntegrityError:
            messages.info(request, "A colleague made the issue at the same time.")
            return see_other(reverse("admin:newsletter_issue_changelist"))
        if issue is None:
            since = moment_in_words(composing.window_start(now))
            messages.info(request, f"No new and no changed verdicts since {since}: no issue.")
            return see_other(reverse("admin:newsletter_issue_changelist"))
        self.log_change(request, issue, "Made by rule.")
        return self._to_issue(issue)

    @method_decorator(require_get_or_post)
    def again_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show a confirmation page; on POST choose the entries again by rule, up to now."""
        issue = self._issue_to_change(request, pk)
        if not issue.is_editable:
            messages.warning(request, f"Nothing was selected again: this issue is {issue.state}.")
        elif request.method != "POST":
            return self._ask(request, issue, "admin/issue_again.html", "Select the entries again?")
        elif composing.choose_again(issue, timezone.now()):
            self.log_change(request, issue, "Entries selected again by rule.")
            messages.success(
                request, "The entries were selected again from all that was published until now."
            )
        else:
            messages.warning(request, "Nothing was changed: there is no new or changed verdict.")
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def undo_again_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Bring back the entries from before they were selected again."""
        issue = self._issue_to_change(request, pk)
        if composing.undo_choice(issue):
            self.log_change(request, issue, "Earlier entries brought back.")
            messages.success(request, "The earlier entries are back, in their order.")
        else:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")
        return self._to_issue(issue)

    @method_decorator(require_get_or_post)
    def cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show a confirmation page; on POST cancel the issue, before or during sending."""
        issue = self._issue_to_change(request, pk)
        if request.method != "POST" and issue.state not in ("sent", "cancelled"):
            return self._ask(request, issue, "admin/issue_cancel.html", f"Cancel {issue}?")
        skipped = scheduling.cancel(issue, timezone.now()) if request.method == "POST" else None
        if skipped is None:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")
            return self._to_issue(issue)
        self.log_change(request, issue, "Cancelled.")
        skipped_text = f" {skipped:,} waiting mails are not sent." if issue.frozen_at else ""
        messages.success(request, f"{issue} is cancelled.{skipped_text}")
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def undo_cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Bring a cancelled issue back, until the next one is created."""
        issue = self._issue_to_change(request, pk)
        if scheduling.undo_cancel(issue, timezone.now()):
            self.log_change(request, issue, "Brought back.")
            state = self._issue_to_view(request, pk).state
            messages.success(
                request, f"{issue} is back: it is {'a draft' if state == 'draft' else state}."
            )
        else:
            messages.warning(
                request, f"{issue} was not brought back: it is not cancelled, or the next exists."
            )
        return self._to_issue(issue)

    def _ask(self, request: HttpRequest, issue: Issue, template: str, title: str) -> HttpResponse:
        """A page with a question and one button."""
        request.current_app = self.admin_site.name
        context = {**self.admin_site.each_context(request), "opts": self.opts}
        return render(request, template, {**context, "original": issue, "title": title})

    def _send_test(self, request: HttpRequest, issue: Issue) -> None:
        """Send a test mail to an address; the session stores it as the next default."""
        form = TestMailForm(request.POST)
        if not form.is_valid():
            messages.error(request, f"Your text is saved, but no test was sent. {error_text(form)}")
            return
        address = request.session[TEST_ADDRESS] = form.cleaned_data["address"].typed
        reason = send_test(issue, address, timezone.now())
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
            request, f"Your text is saved, and the issue is scheduled. {_estimate(issue)}"
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
            "estimate": "" if issue.frozen_at else _estimate(issue),
            "may_undo_cancel": bool(issue.cancelled_at) and issue.is_last,
            "moment_form": moment_form,
            "test_form": test_form,
        }

    def _issue_to_view(self, request: HttpRequest, pk: int) -> Issue:
        if not self.has_view_permission(request):
            raise PermissionDenied
        issue = Issue.objects.filter(pk=pk).first()
        if issue is None:
            raise Http404
        return issue

    def _issue_to_change(self, request: HttpRequest, pk: int) -> Issue:
        if not super().has_change_permission(request):
            raise PermissionDenied
        return self._issue_to_view(request, pk)

    def _to_issue(self, issue: Issue) -> HttpResponse:
        return see_other(reverse("admin:newsletter_issue_change", args=[issue.pk]))


def counts_by_state(issue: Issue) -> list[tuple[str, int]]:
    """How many mails of an issue are in each state, in the order of the states; one query."""
    rows = Delivery.objects.filter(issue=issue).order_by().values_list("state")
    found = dict(rows.annotate(number=Count("pk")).values_list("state", "number"))
    return [(label, found[state]) for state, label in DeliveryState.choices if state in found]


def _estimate(issue: Issue) -> str:
    """The number of recipients, the rate, and when the sending ends, in words; one query."""
    recipients = Subscriber.objects.confirmed().count()
    return estimate_in_words(recipients, settings.MAILS_PER_SECOND, issue.scheduled_at)
