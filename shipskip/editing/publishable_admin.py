"""The base admin class of publishable rows: list, form, save and extra pages."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.forms.formsets import DELETION_FIELD_NAME
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from shipskip.editing import history, previews, trash  # noqa: F401 - they add pages to screens
from shipskip.editing.action_messages import (
    Lost,
    Withdrawal,
    say_published,
    say_withdrawn,
)
from shipskip.editing.admin_base import PREVIEW, BaseAdmin
from shipskip.editing.deletion import delete_selected, too_many
from shipskip.editing.deletion_counts import count_in_words, listed
from shipskip.editing.edit_conflicts import ConflictForm, changed_fields
from shipskip.editing.foreign_key_fields import ChoiceByName, ChoiceByNameField
from shipskip.editing.permissions import may_publish
from shipskip.editing.publish_buttons import Act, what_readers_see
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.states import P, name_of, state_and_date
from shipskip.web.publishing import Previewable, Publishable, publish, withdraw

CHECK = "_check"
"""The button that checks the typed text and saves nothing: the Enter key in a public row."""


def _publishable(row: models.Model, parent: P) -> Publishable:
    """The row whose state decides whether readers see `row`: `row` or the one it is part of."""
    return row if isinstance(row, Publishable) else parent


def _was_touched(form: ConflictForm[Any]) -> bool:
    """Whether a save changed, created or removed the row of this form."""
    is_removed = getattr(form, "cleaned_data", {}).get(DELETION_FIELD_NAME)
    return bool(changed_fields(form) or (is_removed and form.instance.pk))


class PublishableAdmin(BaseAdmin[P]):
    """List and form of rows whose `published_at` decides when they are public."""

    form = PublishableForm
    change_form_template = "admin/publishable.html"
    actions = ["publish_now", "withdraw_chosen", delete_selected]

    def publication_obstacles(self, rows: Sequence[P], now: datetime) -> dict[int, str]:
        """Why rows cannot be public from `now` on: a sentence by primary key."""
        return {}

    def published_along(self, rows: Sequence[P], now: datetime) -> Sequence[Publishable]:
        """The rows of another model that are published together with these."""
        return []

    def lost_by_withdrawal(self, rows: Sequence[P], now: datetime) -> Lost:
        """What readers lose at `now` if public rows are withdrawn. The number of queries does not
        depend on the number of rows.
        """
        return listed([row.get_absolute_url() for row in rows], "its page", "pages")

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return may_publish(request, self.opts)

    def restore_fault(self, restored: P, before: P, now: datetime) -> str:
        """Refuse values that a public or scheduled row may not have."""
        if restored.published_at is None:
            return ""
        moment = max(now, restored.published_at)
        reason = self.publication_obstacles([restored], moment).get(restored.pk)
        if not reason or self.publication_obstacles([before], moment):
            return ""
        return f"It is public or scheduled, so it cannot be restored: {reason}"

    @admin.display(description="State", ordering="published_at")
    def state(self, row: Publishable) -> str:
        """The state in words; its date stays on one line."""
        return format_html('{} <span class="list__moment">{}</span>', *state_and_date(row))

    @admin.display(description="Name", ordering=Lower("name"))
    def sorted_name(self, row: P) -> str:
        """The name; its column sorts capitals and small letters together."""
        return str(getattr(row, "name", row))

    def _may_change(self, request: HttpRequest, row: P | None) -> bool:
        """Only publishers may change what is public, or becomes so without another look."""
        is_dated = row is not None and row.published_at is not None
        return not is_dated or self.has_publish_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: P | None = None) -> bool:
        """Only publishers may change public and scheduled rows."""
        return super().has_change_permission(request, obj) and self._may_change(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: P | None = None) -> bool:
        """Only publishers may delete public and scheduled rows."""
        return super().has_delete_permission(request, obj) and self._may_change(request, obj)

    def get_fields(self, request: HttpRequest, obj: P | None = None) -> list[Any]:
        """The fields, with the state; those who may not publish do not see the publication date."""
        fields = list(super().get_fields(request, obj))
        if "published_at" in fields:
            place = fields.index("published_at")
            fields[place : place + 1] = self.state_and_date(request)
        return fields

    def state_and_date(self, request: HttpRequest) -> list[str]:
        """The state, and for those who may publish the field of the publication date."""
        return ["state", *(["published_at"] if self.has_publish_permission(request) else [])]

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
        """The form class: may its editor publish, and which button was pressed."""
        form = super().get_form(request, obj, change, **kwargs)
        may_publish = self.has_publish_permission(request)
        act = Act.of(request.POST) if may_publish else Act.SAVE
        own = {"may_publish": may_publish, "act": act, "checked": CHECK in request.POST}
        return type(form.__name__, (form,), own)

    def formfield_for_foreignkey(
        self, db_field: "models.ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "forms.ModelChoiceField[Any] | None":
        """Use the autocomplete widget, with a text field for the name without JavaScript."""
        if db_field.name in self.autocomplete_fields:
            kwargs["widget"] = ChoiceByName(db_field, self.admin_site)
            kwargs["form_class"] = ChoiceByNameField
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        moment = form.stored.get("published_at", getattr(form.instance, "published_at", None))
        context["may_publish"] = self.has_publish_permission(request)
        context["is_public"] = moment is not None and moment <= timezone.now()
        context["is_scheduled"] = moment is not None and not context["is_public"]
        if form.is_bound:  # state and address are those of the stored row; nothing was saved
            form.instance.published_at = moment
            if slug := form.stored.get("slug"):
                form.instance.slug = slug
        if isinstance(row := context.get("original"), Previewable):
            context |= previews.link_context(self, request, row)
        return super().render_change_form(request, context, *args, **kwargs)

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
        for text in self.cautions_of(form.instance, [each for each in forms if _was_touched(each)]):
            messages.warning(request, text)

    def news_for_readers(self, forms: Sequence[ConflictForm[Any]], now: datetime) -> list[str]:
        """Sentences on what readers see after a save of these forms, the row's own form first."""
        row = forms[0].instance
        before = forms[0].stored.get("published_at", row.published_at)
        changed = any(
            _was_touched(each) and _publishable(each.instance, row).state(now) == "public"
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

    def cautions_of(self, obj: P, touched: Sequence[ConflictForm[Any]]) -> list[str]:
        """Warnings about a row that was just saved, one sentence each; `touched` are the forms, its
        own and those of its parts, with a change.
        """
        return []

    @admin.action(description="Publish now", permissions=["publish"])
    def publish_now(self, request: HttpRequest, queryset: "QuerySet[P]") -> None:
        """Publish the selected rows, except those that are not ready."""
        if too_many(request, queryset):
            return
        now = timezone.now()
        with transaction.atomic():
            rows = list(self.locked(queryset))
            waiting = [row for row in rows if row.state(now) != "public"]
            obstacles = self.publication_obstacles(waiting, now)
            ready = [row for row in waiting if row.pk not in obstacles]
            along = self.published_along(ready, now)
            publish(ready, now, request.user)
            publish(along, now, request.user)
        say_published(request, ready, along, now)
        if already := len(rows) - len(waiting):
            was = "was" if already == 1 else "were"
            messages.info(request, f"{count_in_words(already, self.opts)} {was} public already.")
        for reason in obstacles.values():
            messages.warning(request, f"Not published: {reason}")

    @admin.action(description="Withdraw…", permissions=["publish"])
    def withdraw_chosen(self, request: HttpRequest, queryset: "QuerySet[P]") -> HttpResponse | None:
        """Confirm, with what readers lose; then withdraw the selected rows."""
        if too_many(request, queryset):
            return None
        title = f"Withdraw {count_in_words(queryset.count(), self.opts)}?"
        own: dict[str, object] = {"title": title, "chosen_name": ACTION_CHECKBOX_NAME}
        return self.withdraw_rows(request, queryset, confirmed="post" in request.POST, page=own)

    def withdraw_rows(
        self, request: HttpRequest, rows: "QuerySet[P]", *, confirmed: bool, page: dict[str, object]
    ) -> HttpResponse | None:
        """Withdraw these rows if that is confirmed; else the page that asks, with what readers lose
        and what is on `page`.
        """
        now = timezone.now()
        with transaction.atomic():
            withdrawal = Withdrawal.of(list(self.locked(rows)), now, self.lost_by_withdrawal)
            if confirmed:
                keep = previews.are_kept(request)
                withdraw(withdrawal.rows, now, request.user, keep_previews=keep)
        if confirmed:
            say_withdrawn(request, withdrawal)
            return None
        number = withdrawal.scheduled
        scheduled = count_in_words(number, self.opts) if number else ""
        context = {"withdrawal": withdrawal, "gone": withdrawal.gone, "scheduled": scheduled}
        return render(request, "admin/withdraw.html", self.page_context(request) | context | page)

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


@PublishableAdmin.page(
    "<int:pk>/withdraw/", "withdraw", require_http_methods(["GET", "HEAD", "POST"])
)
def withdraw_view(screen: PublishableAdmin[P], request: HttpRequest, pk: int) -> HttpResponse:
    """Show a confirmation page for a row with what readers lose; on POST withdraw it."""
    if not screen.has_publish_permission(request):
        raise PermissionDenied
    rows = screen.get_queryset(request).filter(pk=pk)
    row = rows.first()
    if row is None:
        raise Http404
    own = {
        "title": f"Withdraw “{name_of(row)}”?",
        "object": row,
        "state": row.state(timezone.now()),
    }
    is_confirmed = request.method == "POST"
    page = screen.withdraw_rows(request, rows, confirmed=is_confirmed, page=own)
    return page or screen.redirect_to("change", pk)
