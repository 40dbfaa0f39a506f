"""The base admin class of publishable rows: list, form, save and extra pages."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.db import models, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from shipskip.editing import actions, deletion, history, previews, trash
from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.editing.edit_conflicts import ConflictForm, changed_fields
from shipskip.editing.foreign_key_fields import ChoiceByName, ChoiceByNameField
from shipskip.editing.publish_buttons import Act, what_readers_see
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.row_locks import RowDeletedError, saving
from shipskip.editing.saving import FORM_FIELDS, show_or_save
from shipskip.editing.states import state_and_date
from shipskip.web.publishing import Publishable

PREVIEW = "_preview"
"""The button that shows a preview of the typed text and saves nothing."""

require_get_or_post = require_http_methods(["GET", "HEAD", "POST"])


def _publishable(row: models.Model, parent: P) -> Publishable:
    """The row whose state decides whether readers see `row`: `row` or the one it is part of."""
    return row if isinstance(row, Publishable) else parent


class PublishableAdmin(ContentAdmin[P]):
    """List and form of rows whose `published_at` decides when they are public."""

    form = PublishableForm
    change_form_template = "admin/publishable.html"
    change_list_template = "admin/content_list.html"
    formfield_overrides = FORM_FIELDS
    actions = [actions.publish_now, actions.withdraw_chosen, deletion.delete_selected]
    recovers_drafts = True
    has_previews = False
    """Whether its rows have a `preview_key` and so signed preview links."""
    list_per_page = 50
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        """Put our own URLs before Django's, whose catch-all route matches any path."""
        version = "<int:pk>/history/<int:version>/"
        own = [
            self.page("deleted/", "deleted", require_safe, trash.deleted_view),
            self.page(
                "<int:pk>/bring-back/", "bring_back", require_get_or_post, trash.bring_back_view
            ),
            self.page("<int:pk>/withdraw/", "withdraw", require_get_or_post, actions.withdraw_view),
            self.page(version, "version", require_safe, history.version_view),
            self.page(f"{version}restore/", "restore", require_POST, history.restore_view),
            self.page("<path:pk>/history/", "history", require_safe, history.history_view),
            self.page("<path:pk>/delete/", "delete", require_get_or_post, deletion.delete_view),
        ]
        if self.has_previews:
            row = "<path:object_id>/"
            end = previews.end_previews_view
            own += [
                self.page(f"{row}preview/", "preview", require_safe, previews.preview_view),
                self.page(f"{row}withdraw-previews/", "withdraw_previews", require_POST, end),
            ]
        return [*own, *super().get_urls()]

    @admin.display(description="State", ordering="published_at")
    def state(self, row: Publishable) -> str:
        """The state in words; its date stays on one line."""
        return format_html('{} <span class="list__moment">{}</span>', *state_and_date(row))

    @admin.display(description="Name", ordering=Lower("name"))
    def sorted_name(self, row: P) -> str:
        """The name; its column sorts capitals and small letters together."""
        return str(getattr(row, "name", row))

    def _may_change_public(self, request: HttpRequest, row: P | None) -> bool:
        """Only publishers may change public rows."""
        public = row is not None and row.state(timezone.now()) == "public"
        return not public or self.has_publish_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: P | None = None) -> bool:
        """Only publishers may change public rows."""
        return super().has_change_permission(request, obj) and self._may_change_public(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: P | None = None) -> bool:
        """Only publishers may delete public rows."""
        return super().has_delete_permission(request, obj) and self._may_change_public(request, obj)

    def get_fields(self, request: HttpRequest, obj: P | None = None) -> list[Any]:
        """The fields; editors who may not publish see the state instead of the publication date."""
        fields = super().get_fields(request, obj)
        shown = self.date_or_state(request)
        return [shown if field == "published_at" else field for field in fields]

    def date_or_state(self, request: HttpRequest) -> str:
        """The field for the publication date, or for the state if the editor may not publish."""
        return "published_at" if self.has_publish_permission(request) else "state"

    def get_readonly_fields(self, request: HttpRequest, obj: P | None = None) -> list[str]:
        """Add the state, which only the buttons of publishers change."""
        return [*super().get_readonly_fields(request, obj), "state"]

    def get_view_on_site_url(self, obj: P | None = None) -> str | None:
        """The address of the public page, if it is public."""
        if obj is None or not self.view_on_site:
            return None
        # Read the stored row: `obj` may hold values of an invalid form.
        stored = self.model.objects.published(timezone.now()).filter(pk=obj.pk).first()
        return str(stored.get_absolute_url()) if stored else None

    def get_form(
        self,
        request: HttpRequest,
        obj: P | None = None,
        change: bool = False,  # noqa: FBT001, FBT002
        **kwargs: Any,
    ) -> "type[forms.ModelForm[P]]":
        """The form class, with two attributes: may its editor publish, and the pressed button."""
        form = super().get_form(request, obj, change, **kwargs)
        may_publish = self.has_publish_permission(request)
        act = Act.of(request.POST) if may_publish else Act.SAVE
        return type(form.__name__, (form,), {"may_publish": may_publish, "act": act})

    def formfield_for_foreignkey(
        self, db_field: "models.ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "forms.ModelChoiceField[Any] | None":
        """Use the autocomplete widget, with a text field for the name without JavaScript."""
        if db_field.name in self.autocomplete_fields:
            kwargs["widget"] = ChoiceByName(db_field, self.admin_site)
            kwargs["form_class"] = ChoiceByNameField
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> P | None:
        """The row; raises RowDeletedError if it is to be saved and does not exist."""
        row = super().get_object(request, object_id, from_field)
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
        """Show the form, show it with a recovered draft, or save it."""
        form = partial(super().changeform_view, request, object_id, form_url, extra_context)
        return show_or_save(self, request, form)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add our own template variables to Django's."""
        form = context["adminform"].form
        moment = form.stored.get("published_at", getattr(form.instance, "published_at", None))
        context["may_publish"] = self.has_publish_permission(request)
        context["is_public"] = moment is not None and moment <= timezone.now()
        context["is_scheduled"] = moment is not None and not context["is_public"]
        if self.has_previews and context.get("original"):
            context |= previews.link_context(self, request, context["original"])
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(
        self, request: HttpRequest, obj: P, form: "forms.ModelForm[P]", change: object
    ) -> None:
        """Save; the version records the editor, and the reason if one was given."""
        obj.changed_by(request.user, form.cleaned_data.get("reason") or None)
        super().save_model(request, obj, form, change)

    def construct_change_message(self, *args: object, **kwargs: object) -> list[Any]:
        """Return no message: the row history replaces Django's log."""
        return []

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: object) -> None:
        """Save the inline rows, then add messages about what readers see, and warnings."""
        super().save_related(request, form, formsets, change)
        if PREVIEW in request.POST:
            return
        forms = [form, *(each for formset in formsets for each in formset.forms)]
        for text in self.news_for_readers(forms, timezone.now()):
            messages.success(request, text)
        dated = [each for each in forms if isinstance(each, PublishableForm)]
        for text in [each.unused_date for each in dated if each.unused_date]:
            messages.warning(request, text)
        for text in self.cautions_of(form.instance):
            messages.warning(request, text)

    def news_for_readers(self, forms: Sequence[ConflictForm[Any]], now: datetime) -> list[str]:
        """Sentences on what readers see after a save of these forms, the row's own form first."""
        row = forms[0].instance
        before = forms[0].stored.get("published_at", row.published_at)
        changed = any(
            changed_fields(each) and _publishable(each.instance, row).state(now) == "public"
            for each in forms
        )
        return [what_readers_see(row, before, now, changed=changed)]

    def response_add(
        self, request: HttpRequest, obj: P, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the preview without saving, show the form again, or redirect to the list."""
        if IS_POPUP_VAR in request.POST:
            return super().response_add(request, obj, post_url_continue)
        return self._next_page(request, obj) or self.response_post_save_add(request, obj)

    def response_change(self, request: HttpRequest, obj: P) -> HttpResponse:
        """Do the same after a change."""
        if IS_POPUP_VAR in request.POST:
            return super().response_change(request, obj)
        return self._next_page(request, obj) or self.response_post_save_change(request, obj)

    def preview_page(self, request: HttpRequest, row: P) -> HttpResponse:
        """The page of a row as it is stored, in a transaction that is rolled back afterwards."""
        raise NotImplementedError

    def cautions_of(self, obj: P) -> list[str]:
        """Warnings about a row that was just saved, one sentence each."""
        return []

    def delete_model(self, request: HttpRequest, obj: P) -> None:
        """Delete a row; its last version records the editor."""
        obj.changed_by(request.user)
        obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[P]") -> None:
        """Delete each of these rows as `delete_model` does."""
        for row in queryset:
            self.delete_model(request, row)

    def _next_page(self, request: HttpRequest, row: P) -> HttpResponse | None:
        """The preview, which saves nothing, or a redirect to the form; None for the list."""
        if PREVIEW in request.POST:
            with timezone.override(UTC):  # as readers see it
                page = self.preview_page(request, row)
            # The preview shows what was saved in this transaction, which is rolled back.
            transaction.set_rollback(True)
            return page
        if "_continue" in request.POST:
            address = reverse(f"admin:{self.url_name('change')}", args=[row.pk])
            query = request.META["QUERY_STRING"]
            return redirect(f"{address}?{query}" if query else address)
        return None
