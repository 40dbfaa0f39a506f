"""The entries of an issue, as rows of its form."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.html import format_html

from shipskip.newsletter.issues.issue_forms import EntryForm, OwnEntryForm
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry


class _EntriesOfIssue:
    """Who sees and changes the entries of an issue."""

    def has_view_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        return bool(request.user.has_perm("newsletter.view_issue"))

    def has_change_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        """Editors who may change issues, until the issue is being sent."""
        return bool(request.user.has_perm("newsletter.change_issue")) and (
            obj is None or obj.is_editable
        )


class EntryInline(_EntriesOfIssue, admin.TabularInline):  # type: ignore[type-arg]
    """The entries of an issue: a rule chooses them, editors order them and leave some out."""

    model = IssueEntry
    form = EntryForm
    readonly_fields = ["summary", "left_out"]
    extra = max_num = 0
    can_delete = False
    template = "admin/edit_inline/tabular.html"
    verbose_name_plural = "entries, in the order of their places"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[IssueEntry]:
        """Those that the rule chose, with their tools."""
        rows = super().get_queryset(request).exclude(kind=EntryKind.OWN_TEXT)
        return rows.select_related("tool", "other")

    @admin.display(description="Entry")
    def summary(self, row: IssueEntry) -> str:
        """The kind and the tools."""
        names = " vs ".join(tool.labelled_name for tool in (row.tool, row.other) if tool)
        return format_html("{}: <bdi>{}</bdi>", row.get_kind_display(), names)

    @admin.display(description="Left out")
    def left_out(self, row: IssueEntry) -> str:
        """Whether an editor left the entry out, as text; for an issue that cannot be changed."""
        return "left out" if row.dropped else ""

    def get_fields(self, request: HttpRequest, obj: Issue | None = None) -> list[Any]:
        """The place, the entry, and a checkbox to leave it out; plain text if it is read-only."""
        last = "dropped" if self.has_change_permission(request, obj) else "left_out"
        return ["position", "summary", last]


class OwnEntries(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """The entries of the editor's own text, apart from the others in the submitted form."""

    @classmethod
    def get_default_prefix(cls) -> str:
        """The start of its fields' names."""
        return "own"


class OwnEntryInline(_EntriesOfIssue, admin.StackedInline):  # type: ignore[type-arg]
    """The entries of the editor's own text."""

    model = IssueEntry
    form, formset = OwnEntryForm, OwnEntries
    extra = 1
    fields = ["heading", "text", "position"]
    verbose_name = "own entry"
    verbose_name_plural = "own entries: a heading and a text, for all readers of this issue"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[IssueEntry]:
        """Those with a text of their own."""
        return super().get_queryset(request).filter(kind=EntryKind.OWN_TEXT)

    def has_add_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        return self.has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Issue | None = None) -> bool:
        return self.has_change_permission(request, obj)
