"""The base of every admin class: its list, and a save that writes only changed fields."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

from shipskip.editing import draft_recovery, selected_rows
from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.fields import name_what_is_missing
from shipskip.editing.history_entries import VersionQuerySet
from shipskip.editing.models import UnsavedText
from shipskip.editing.row_locks import locked, saving
from shipskip.web.text import FORBIDDEN_CHARACTERS

IGNORED = "e=1"
"""The query string with which Django marks an address with invalid parameters."""

M = TypeVar("M", bound=models.Model)


def _action_fault(request: HttpRequest) -> str:
    """Why the action of a list cannot be run, and what to do; empty if it can."""
    if not any(request.POST.getlist("action")):
        return "Nothing was changed: choose an action for the ticked rows, then press Go."
    if not request.POST.getlist(ACTION_CHECKBOX_NAME):
        return "Nothing was changed: tick the rows that the action is for."
    return ""


class BaseAdmin(admin.ModelAdmin, Generic[M]):  # type: ignore[type-arg]
    """A list that accepts only the lookups of its own filters."""

    recovers_drafts = False
    """Whether the text of its form is stored while an editor types, and if the session expires."""

    extra_lookups: tuple[str, ...] = ()
    """Lookups that links of other screens use, in addition to those of `list_filter`."""

    empty_value_display = ""

    def page(
        self,
        route: str,
        name: str,
        methods: Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]],
        view: Callable[..., HttpResponse],
    ) -> URLPattern:
        """A URL of this admin class for desk users; the view gets the class as first argument."""
        guarded = self.admin_site.admin_view(methods(partial(view, self)))
        return path(route, guarded, name=self.url_name(name))

    def page_context(self, request: HttpRequest) -> dict[str, object]:
        """The context that every page of this admin class shares."""
        request.current_app = self.admin_site.name
        return {**self.admin_site.each_context(request), "opts": self.opts}

    def url_name(self, page: str) -> str:
        """The URL name of a page, as in `tools_tool_history`."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def histories(self, obj: M) -> list[VersionQuerySet]:
        """The versions that make up a row's history: its own and those of related rows."""
        return [self.model.history.filter(id=obj.pk)]

    def subject_of(self, row: models.Model) -> str:
        """The subject of a history entry, if it is not the row itself."""
        return ""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only lookups of this list's filters, since others can cause database errors."""
        allowed = set(self.extra_lookups)
        for each in self.get_list_filter(request):
            if isinstance(each, str):
                allowed |= {f"{each}__exact", f"{each}__id__exact"}
            else:
                allowed.add(getattr(each, "parameter_name", ""))
        return lookup in allowed

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The list; a query with forbidden characters is redirected to one without them."""
        values = (text for name, texts in request.GET.lists() for text in (name, *texts))
        if any(FORBIDDEN_CHARACTERS.search(text) for text in values):
            return HttpResponseRedirect(f"{request.path}?{IGNORED}")
        if request.method == "POST" and (fault := _action_fault(request)):
            messages.warning(request, fault)
            selected_rows.keep(request)
            return HttpResponseRedirect(request.get_full_path())
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        response = super().changelist_view(request, title | (extra_context or {}))
        if isinstance(response, TemplateResponse) and "cl" in (response.context_data or {}):
            selected_rows.restore(request, response.context_data or {})
        return response

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """The rows, locked while they are saved."""
        rows: QuerySet[M] = super().get_queryset(request)
        return locked(rows) if saving(request) else rows

    def get_form(
        self,
        request: HttpRequest,
        obj: M | None = None,
        change: bool = False,  # noqa: FBT001, FBT002
        **kwargs: Any,
    ) -> "type[forms.ModelForm[M]]":
        """The form class; a form recovered after a login is shown before it is saved."""
        form = super().get_form(request, obj, change=change, **kwargs)
        if not self.recovers_drafts:
            return form
        return type(form.__name__, (form,), {"recovered": draft_recovery.RECOVERED in request.META})

    def get_action_choices(
        self,
        request: HttpRequest,
        default_choices: list[tuple[str, str]] | None = None,
    ) -> list[tuple[str, str]]:
        """The actions of the list, after the empty choice."""
        return super().get_action_choices(request, [("", "Choose an action")])

    def response_action(  # type: ignore[override]  # the stubs are those of a later Django
        self, request: HttpRequest, queryset: QuerySet[M]
    ) -> HttpResponse | None:
        """Run the action; without an action or rows, add an error message and keep the ticks."""
        response: HttpResponse | None = super().response_action(request, queryset)
        if response is None:
            selected_rows.keep(request)
        return response

    @admin.display(description=mark_safe('<input type="checkbox" id="action-toggle">'))
    def action_checkbox(self, obj: M) -> SafeString:
        """The checkbox of a row; it stays selected if the action was refused."""
        attrs = {"class": "action-select", "aria-label": f"Choose {obj}"}
        is_selected = bool(getattr(obj, selected_rows.SELECTED, False))
        box = forms.CheckboxInput(attrs, lambda _: is_selected)
        return box.render(ACTION_CHECKBOX_NAME, str(obj.pk))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """The rows that match the search text, from which forbidden characters are removed."""
        return super().get_search_results(
            request, queryset, FORBIDDEN_CHARACTERS.sub("", search_term)
        )

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        *args: Any,
        obj: M | None = None,
        **kwargs: Any,
    ) -> HttpResponse:
        """Add the notice about unsaved text, if the editor may save this form; after a refused
        save, show our own error note instead of Django's.
        """
        may_save = self.has_change_permission(request, obj) if obj else True
        if self.recovers_drafts:
            context["faults"], context["errors"] = context.get("errors"), None
        if self.recovers_drafts and may_save:
            context["unsaved"] = draft_recovery.notice(request)
        kwargs["obj"] = obj
        return super().render_change_form(request, context, *args, **kwargs)

    def formfield_for_dbfield(
        self, db_field: "models.Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        """A field of the form, without Django's button that deletes the related row."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field:
            name_what_is_missing(field)
        if field and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget.can_delete_related = False
        return field

    def save_related(
        self, request: HttpRequest, form: "forms.ModelForm[M]", formsets: object, change: object
    ) -> None:
        """Save the rows of the form, then delete its stored unsaved text."""
        super().save_related(request, form, formsets, change)
        if text := UnsavedText.objects.at(request.path, request.user.pk).first():
            text.delete()

    def save_model(
        self, request: HttpRequest, obj: M, form: "forms.ModelForm[M]", change: object
    ) -> None:
        """Save a new row, or the changed fields of one; without changes, save nothing."""
        if not change:
            super().save_model(request, obj, form, change)
        elif names := changed_fields(form):
            self.save_fields(obj, names, form.initial)

    def save_fields(self, row: M, names: list[str], before: Mapping[str, object]) -> None:
        """Save these fields of a row; `before` contains their previous values."""
        row.save(update_fields=names)

    def log_addition(self, request: HttpRequest, obj: M, message: object) -> LogEntry | None:  # type: ignore[override]
        """Log a new row, unless there is no message."""
        return super().log_addition(request, obj, message) if message else None

    def log_change(self, request: HttpRequest, obj: M, message: object) -> LogEntry | None:  # type: ignore[override]
        """Log a change; a save that changed nothing has no message and is not logged."""
        return super().log_change(request, obj, message) if message else None
