"""The admin of issues: entries, preview, schedule and sending progress."""

from collections.abc import Callable
from datetime import datetime

from csp.decorators import csp
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, models
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.http import require_POST, require_safe

from shipskip.editing.fields import MarkdownField, MarkdownInput
from shipskip.editing.list_admin import ListAdmin
from shipskip.newsletter.delivery.messages import preview, send_test
from shipskip.newsletter.issues import composing, schedule
from shipskip.newsletter.issues.issue_forms import IssueForm, MomentForm, TestMailForm, error_text
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, IssueEntry
from shipskip.web.htmx import see_other

MAIL_POLICY = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
}
"""For the mail preview: it needs its inline styles and may do nothing else."""

TEST_ADDRESS = "newsletter test address"
"""The session key of the address of the last test mail."""


class EntryInline(admin.TabularInline):  # type: ignore[type-arg]
    """The entries of an issue: editors order and drop them, the rule adds them."""

    model = IssueEntry
    fields = ["position", "summary", "dropped"]
    readonly_fields = ["summary"]
    extra = max_num = 0
    can_delete = False
    template = "admin/edit_inline/tabular.html"
    verbose_name_plural = "entries, in the order of their numbers"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[IssueEntry]:
        """With their tools."""
        return super().get_queryset(request).select_related("tool", "other")

    @admin.display(description="Entry")
    def summary(self, row: IssueEntry) -> str:
        """The kind and the tools."""
        names = " vs ".join(str(tool) for tool in (row.tool, row.other) if tool)
        return format_html("{}: <bdi>{}</bdi>", row.get_kind_display(), names)

    def has_view_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        """Editors who may see issues."""
        return bool(request.user.has_perm("newsletter.view_issue"))

    def has_change_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        """Editors who may change issues, until the issue is being sent."""
        return bool(request.user.has_perm("newsletter.change_issue")) and _is_editable(obj)


@admin.register(Issue)
class IssueAdmin(ListAdmin[Issue]):
    """Issues: composed by rule, edited by an editor, sent by `send_newsletter`."""

    form = IssueForm
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
        """Only until it is being sent."""
        return super().has_change_permission(request, obj) and _is_editable(obj)

    def get_view_on_site_url(self, obj: Issue | None = None) -> str | None:
        """The page in the archive, if there is one."""
        if obj is None or not Issue.objects.archived().filter(pk=obj.pk).exists():
            return None
        return obj.get_absolute_url()

    @admin.display(description="State")
    def state_in_words(self, row: Issue) -> str:
        """The state, and since when (or for when) it applies."""
        moment = row.cancelled_at or row.sent_at or row.frozen_at or row.scheduled_at
        since = "for" if row.state == "scheduled" else "since"
        return f"{row.state.capitalize()} {since} {_moment(moment)}" if moment else "Draft"

    @admin.display(description="Mails")
    def progress(self, row: Issue) -> str:
        """How many of its mails were accepted."""
        return f"{row.sent_mails:,} of {row.recipients:,}" if row.frozen_at else ""

    def get_urls(self) -> list[URLPattern]:
        """Our own actions before Django's URLs, which match any path."""
        actions: dict[str, tuple[Callable[..., HttpResponse], str]] = {
            "compose/": (self.compose_view, "compose"),
            "<int:pk>/mail/": (self.mail_view, "mail"),
            "<int:pk>/text/": (self.text_view, "text"),
            "<int:pk>/progress/": (self.progress_view, "progress"),
            "<int:pk>/test/": (self.test_view, "test"),
            "<int:pk>/again/": (self.again_view, "again"),
            "<int:pk>/schedule/": (self.schedule_view, "schedule"),
            "<int:pk>/unschedule/": (self.unschedule_view, "unschedule"),
            "<int:pk>/cancel/": (self.cancel_view, "cancel"),
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
        """The form, with the issue's actions beside it."""
        issue = self.get_object(request, object_id)
        context = {} if issue is None else self._action_context(request, issue)
        return super().change_view(
            request, object_id, form_url, {**context, **(extra_context or {})}
        )

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
        except composing.OpenIssueError as fault:
            messages.info(request, f"{fault}: finish or cancel this one first.")
            return self._to_issue(fault.issue)
        except IntegrityError:
            messages.info(request, "A colleague made the issue at the same time.")
            return see_other(reverse("admin:newsletter_issue_changelist"))
        if issue is None:
            since = _moment(composing.window_start(now))
            messages.info(request, f"No new and no changed verdicts since {since}: no issue.")
            return see_other(reverse("admin:newsletter_issue_changelist"))
        self.log_change(request, issue, "Made by rule.")
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def again_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Choose the entries again by rule, up to now."""
        issue = self._issue_to_change(request, pk)
        if not _is_editable(issue):
            messages.warning(
                request, f"The entries were not chosen again: this issue is {issue.state}."
            )
        elif composing.choose_again(issue, timezone.now()):
            self.log_change(request, issue, "Entries chosen again by rule.")
            messages.success(
                request, "The entries were chosen again from all that was published until now."
            )
        else:
            messages.warning(
                request, "Nothing was changed: the rule finds no new or changed verdict."
            )
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def test_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Send a test mail to an address; the session stores it as the next default."""
        issue, form = self._issue_to_change(request, pk), TestMailForm(request.POST)
        if not form.is_valid():
            messages.error(request, error_text(form))
            return self._to_issue(issue)
        address = request.session[TEST_ADDRESS] = form.cleaned_data["address"].typed
        fault = send_test(issue, address, timezone.now())
        if fault:
            messages.error(request, f"The test mail was not sent: {fault}")
        else:
            messages.success(request, "The test mail was sent.")
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def schedule_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Schedule the issue."""
        issue, form = self._issue_to_change(request, pk), MomentForm(request.POST)
        if not form.is_valid():
            messages.error(request, error_text(form))
            return self._to_issue(issue)
        moment = form.cleaned_data["moment"]
        try:
            schedule.schedule(issue, moment)
        except schedule.ScheduleError as fault:
            messages.error(request, str(fault))
            return self._to_issue(issue)
        self.log_change(request, issue, f"Scheduled for {_moment(moment)}.")
        messages.success(
            request, f"The issue is sent at {_moment(moment)} UTC, or with the next run."
        )
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def unschedule_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make the issue a draft again."""
        issue = self._issue_to_change(request, pk)
        if schedule.unschedule(issue):
            self.log_change(request, issue, "Removed from the schedule.")
            messages.success(request, "The issue is a draft again.")
        else:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")
        return self._to_issue(issue)

    @method_decorator(require_POST)
    def cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Cancel the issue, before or during sending."""
        issue = self._issue_to_change(request, pk)
        skipped = schedule.cancel(issue, timezone.now())
        if skipped is None:
            messages.warning(request, f"Nothing was changed: this issue is {issue.state}.")
            return self._to_issue(issue)
        self.log_change(request, issue, "Cancelled.")
        skipped_text = f" {skipped:,} waiting mails are not sent." if issue.frozen_at else ""
        messages.success(request, f"{issue} is cancelled.{skipped_text}")
        return self._to_issue(issue)

    def _action_context(self, request: HttpRequest, issue: Issue) -> dict[str, object]:
        """The template context of the actions beside the form."""
        offered = request.session.get(TEST_ADDRESS) or getattr(request.user, "email", "")
        return {
            "counts": counts_by_state(issue) if issue.frozen_at else [],
            "is_open": _is_editable(issue),
            "may_act": bool(request.user.has_perm("newsletter.change_issue")),
            "state_in_words": self.state_in_words(issue),
            "moment_form": MomentForm(initial={"moment": issue.scheduled_at}),
            "test_form": TestMailForm(initial={"address": offered}),
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


def _is_editable(issue: Issue | None) -> bool:
    """Whether an issue can still be changed."""
    return issue is None or not (issue.frozen_at or issue.cancelled_at)


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M}"
