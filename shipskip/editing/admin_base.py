"""The base of every admin class: its list, its form, its save and its pages; rows with a history
are locked, and their changes are compared with those of other editors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import AdminTextInputWidget, RelatedFieldWidgetWrapper
from django.core.exceptions import NON_FIELD_ERRORS, BadRequest
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from shipskip.editing import draft_recovery
from shipskip.editing.deletion_counts import DependentCount, count_dependents
from shipskip.editing.edit_conflicts import HISTORY_ID, changed_fields
from shipskip.editing.fields import MarkdownField, MarkdownInput, name_what_is_missing
from shipskip.editing.history_entries import HistoryEntry, ModelField, VersionQuerySet
from shipskip.editing.last_changes import LastChange, last_changes
from shipskip.editing.moments import ZONE_SUFFIX, MomentField, MomentInput
from shipskip.editing.row_locks import (
    SAVING_KEY,
    RowDeletedError,
    locked,
    retry_concurrent_save,
    saving,
)
from shipskip.editing.states import name_of
from shipskip.web.htmx import see_other
from shipskip.web.publishing import Publishable, Versioned
from shipskip.web.text import FORBIDDEN_CHARACTERS

NOTICES = ("kept", "checked")
"""The codes of errors that only say why a form is shown again."""

IGNORED = "e=1"
"""The query string with which Django marks an address with invalid parameters."""

PREVIEW = "_preview"
"""The button that shows a preview of the typed text and saves nothing."""

FORM_FIELDS: dict[type[ModelField], dict[str, object]] = {
    models.CharField: {"widget": AdminTextInputWidget(attrs={"class": "vLargeTextField"})},
    models.TextField: {"form_class": MarkdownField, "widget": MarkdownInput},
    models.DateTimeField: {"form_class": MomentField, "widget": MomentInput},
}
"""The fields of forms by those of the models with a history."""

M = TypeVar("M", bound=models.Model)
View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Page:
    """A page of an admin class, in addition to Django's."""

    route: str
    name: str
    methods: Callable[[View], View]
    view: View
    for_rows: type[models.Model]
    """Only the admin classes of such rows have it."""


def _action_fault(request: HttpRequest) -> str:
    """Why the action of a list cannot be run, and what to do; empty if it can."""
    if not any(request.POST.getlist("action")):
        return "Nothing was changed: choose an action for the ticked rows, then press Go."
    if not request.POST.getlist(ACTION_CHECKBOX_NAME):
        return "Nothing was changed: tick the rows that the action is for."
    return ""


def _has_only_notices(context: Mapping[str, Any]) -> bool:
    """Whether a form is shown again without a fault: it was restored, rearranged or checked. If
    there is a fault, the notice of the check goes.
    """
    form = context["adminform"].form
    found = form.errors.as_data()
    notices = [error for error in found.get(NON_FIELD_ERRORS, ()) if error.code in NOTICES]
    formsets = [inline.formset for inline in context["inline_admin_formsets"]]
    is_faulty = any(formset.is_bound and formset.total_error_count() for formset in formsets)
    if not is_faulty and sum(map(len, found.values())) == len(notices):
        return True
    for error in [error for error in notices if error.code == "checked"]:
        form.errors[NON_FIELD_ERRORS].data.remove(error)
    return False


class BaseAdmin(admin.ModelAdmin, Generic[M]):  # type: ignore[type-arg]
    """A list that accepts only the lookups of its own filters, and a form whose save writes only
    changed fields; with locks, edit conflicts and a history if the model has one.
    """

    recovers_drafts = False
    """Whether the text of its form is stored while an editor types, and if the session expires;
    always for rows with a history."""

    pages: Sequence[Page] = ()
    """The pages that `page` added to this class."""

    fixed_fields: tuple[str, ...] = ()
    """Fields, besides those of the state, that restoring an earlier version does not change."""

    extra_lookups: tuple[str, ...] = ()
    """Lookups that links of other screens use, in addition to those of `list_filter`."""

    empty_value_display = ""
    list_per_page = 50
    show_full_result_count = False
    actions: Sequence[Any] | None = None

    def __init__(self, model: type[M], admin_site: admin.AdminSite) -> None:
        self.has_history = hasattr(model, "history")
        if self.has_history:
            self.recovers_drafts = True
            own = self.change_form_template or "admin/versioned.html"
            self.change_form_template = own  # type: ignore[misc]  # Django allows it
            lists = self.change_list_template or "admin/content_list.html"
            self.change_list_template = lists  # type: ignore[misc]
            self.formfield_overrides = FORM_FIELDS  # type: ignore[misc]
        super().__init__(model, admin_site)

    @classmethod
    def page(
        cls,
        route: str,
        name: str,
        methods: Callable[[View], View],
        *,
        for_rows: type[models.Model] = models.Model,
    ) -> Callable[[View], View]:
        """Decorate a view: it is a page of this admin class, for desk users; the view gets the
        class as first argument.
        """

        def add(view: View) -> View:
            own = Page(route, name, methods, view, for_rows)
            cls.pages = [*cls.__dict__.get("pages", ()), own]
            return view

        return add

    def get_urls(self) -> list[URLPattern]:
        """Our own pages before Django's URLs, whose catch-all route matches any path."""
        own = {
            each.name: each for each in self._all_pages() if issubclass(self.model, each.for_rows)
        }
        return [*map(self._url_of, own.values()), *super().get_urls()]

    def _all_pages(self) -> list[Page]:
        return [each for cls in type(self).__mro__ for each in cls.__dict__.get("pages", ())]

    def _url_of(self, page: Page) -> URLPattern:
        guarded = self.admin_site.admin_view(page.methods(partial(page.view, self)))
        return path(page.route, guarded, name=self.url_name(page.name))

    def page_context(self, request: HttpRequest) -> dict[str, object]:
        """The context that every page of this admin class shares."""
        request.current_app = self.admin_site.name
        is_publishable = issubclass(self.model, Publishable)
        own = {"opts": self.opts, "is_publishable": is_publishable}
        return {**self.admin_site.each_context(request), **own}

    def url_name(self, page: str) -> str:
        """The URL name of a page, as in `tools_tool_history`."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def histories(self, obj: M) -> list[VersionQuerySet]:
        """The versions that make up a row's history: its own and those of related rows."""
        return [self.model.history.filter(id=obj.pk)]

    def subject_of(self, row: models.Model) -> str:
        """The subject of a history entry, if it is not the row itself."""
        return ""

    def reentry_urls(
        self, request: HttpRequest, obj: M, entries: Sequence[HistoryEntry]
    ) -> list[str]:
        """For each history entry the form with the values that it deleted; empty without one."""
        return [""] * len(entries)

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
        acts = request.method == "POST" and "_save" not in request.POST
        if acts and (fault := _action_fault(request)):
            messages.warning(request, fault)
            return HttpResponseRedirect(request.get_full_path())
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, title | (extra_context or {}))

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The rows of the list, each with its last change."""
        changes: ChangeList = super().get_changelist_instance(request)
        last = last_changes(self.model, [row.pk for row in changes.result_list])
        for row in changes.result_list:
            row.last_change = last.get(row.pk)
        return changes

    def action_checkbox(self, obj: M) -> SafeString:
        """The tick of a row in the list, labelled with its name."""
        attrs = {"class": "action-select", "aria-label": f"Select {name_of(obj)}"}
        tick = forms.CheckboxInput(attrs, lambda value: False)
        return tick.render(ACTION_CHECKBOX_NAME, str(obj.pk))

    @admin.display(description="Changed")
    def last_changed(self, row: M) -> str:
        """Who changed the row last, and when; in the lists of rows with a history."""
        change: LastChange | None = getattr(row, "last_change", None)
        return change.in_words if change else ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """The rows, locked while they are saved."""
        rows: QuerySet[M] = super().get_queryset(request)
        return locked(rows) if saving(request) else rows

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> M | None:
        """The row; raises RowDeletedError if it is to be saved and does not exist."""
        row: M | None = super().get_object(request, object_id, from_field)
        if row is None and saving(request):
            raise RowDeletedError
        return row

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Show the form, show it with recovered text, or save it; rows with a history are locked,
        and after a race with another save it is tried once more.
        """
        if "_saveasnew" in request.POST:
            raise BadRequest("No form of the desk has the button that saves a row as a new one.")
        form = partial(super().changeform_view, request, object_id, form_url, extra_context)
        if not self.has_history:
            return form()
        draft_recovery.fill_in(request)
        if request.method == "POST":
            request.META[SAVING_KEY] = True
        try:
            return retry_concurrent_save(form)
        except RowDeletedError:
            return self._deleted_page(request)
        finally:
            request.META.pop(SAVING_KEY, None)

    def _deleted_page(self, request: HttpRequest) -> HttpResponse:
        """Show the submitted text when the row was deleted meanwhile, so that it is not lost."""
        labels = {each.name: str(each.verbose_name) for each in self.opts.fields}
        texts = [
            (labels.get(name, name).replace("_", " ").capitalize(), str(text))
            for name, text in request.POST.items()
            if not name.startswith(("_", "csrf"))
            and not name.endswith((HISTORY_ID, "_FORMS", ZONE_SUFFIX))
        ]
        context = {
            **self.page_context(request),
            "title": f"This {self.opts.verbose_name} was deleted",
            "texts": [(name, text) for name, text in texts if text.strip()],
        }
        return render(request, "admin/deleted_while_editing.html", context, status=409)

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
        return super().get_action_choices(request, [("", "Choose an action")])

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
        """Let the browser keep unsaved text, if the editor may save this form; after a refused
        save, show our own error note instead of Django's.
        """
        if self.recovers_drafts:
            context["faults"], context["errors"] = context.get("errors"), None
            context["only_notices"] = _has_only_notices(context)
            context["keeps_text"] = obj is None or self.has_change_permission(request, obj)
        if obj:
            context["subtitle"] = name_of(obj)
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
        """Save the rows of the form; the browser's copy of the text is not needed any more."""
        super().save_related(request, form, formsets, change)
        if PREVIEW not in request.POST:
            draft_recovery.mark_saved(request)

    def save_model(
        self, request: HttpRequest, obj: M, form: "forms.ModelForm[M]", change: object
    ) -> None:
        """Save a new row, or the changed fields of one; without changes, save nothing. The version
        records the editor.
        """
        if isinstance(obj, Versioned):
            obj.changed_by(request.user)
        names = changed_fields(form) if change else None
        if names != []:
            self.save_fields(obj, names, form.initial, form.cleaned_data.get("reason") or "")

    def save_fields(
        self, row: M, names: list[str] | None, before: Mapping[str, object], reason: str = ""
    ) -> None:
        """Save these fields of a row, or insert a new one; `before` contains the previous values,
        `reason` is for the public record.
        """
        if names is None:
            row.save(force_insert=True)
        else:
            row.save(update_fields=names)

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        """Delete a row; its last version records the editor."""
        if isinstance(obj, Versioned):
            obj.changed_by(request.user)
        if isinstance(obj, Publishable):
            obj.remove(timezone.now())
        else:
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[M]") -> None:
        for row in queryset:
            self.delete_model(request, row)

    def construct_change_message(self, *args: Any, **kwargs: Any) -> Any:
        """Return no message where the row history replaces Django's log."""
        return [] if self.has_history else super().construct_change_message(*args, **kwargs)

    def log_addition(self, request: HttpRequest, obj: M, message: object) -> LogEntry | None:  # type: ignore[override]
        """Log a new row, unless there is no message."""
        return super().log_addition(request, obj, message) if message else None

    def log_change(self, request: HttpRequest, obj: M, message: object) -> LogEntry | None:  # type: ignore[override]
        """Log a change; a save that changed nothing has no message and is not logged."""
        return super().log_change(request, obj, message) if message else None

    def lock_parents(self, pks: Sequence[int | str]) -> None:
        """Lock the parents of the rows with these keys, before the rows themselves."""

    @property
    def soft_deletes(self) -> bool:
        """Whether a deleted row stays in its table, or only in its history."""
        return issubclass(self.model, Publishable)

    def dependents(self, rows: Sequence[M]) -> list[DependentCount]:
        """What is deleted along with these rows; counted, never loaded."""
        return [] if self.soft_deletes else list(count_dependents(rows, models.CASCADE))

    def blockers(self, rows: Sequence[M]) -> list[DependentCount]:
        """What must be deleted or moved before these rows can be deleted."""
        return list(count_dependents(rows, models.PROTECT))

    def restored_with(self, row: M) -> str:
        """What was brought back together with a row, in words; empty if nothing."""
        return ""

    def restore_needs_reason(self, obj: M, restored: M, now: datetime) -> bool:
        """Whether changing `obj` to the values of `restored` at `now` needs a public reason."""
        return False

    def restore_fault(self, restored: M, before: M, now: datetime) -> str:
        """Why a row may not get these values of an earlier version; empty if it may."""
        return ""

    def locked(self, rows: "QuerySet[M]") -> "QuerySet[M]":
        """Read these rows again, with row locks until the transaction ends."""
        self.lock_parents(list(rows.order_by().values_list("pk", flat=True)))
        return locked(rows.order_by("pk"))

    def redirect_to(self, page: str, pk: int) -> HttpResponse:
        """Redirect to this page of a row after a POST."""
        return see_other(reverse(f"admin:{self.url_name(page)}", args=[pk]))

    def redirect_missing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect to the desk's first page with the message that the row does not exist."""
        name = self.opts.verbose_name
        messages.warning(
            request,
            f"There is no {name} number “{object_id}”. If it was deleted, “Deleted "
            f"{self.opts.verbose_name_plural}” above the list brings it back.",
        )
        return redirect("admin:index")
