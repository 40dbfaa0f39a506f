"""What every screen of the editors' desk shares: the state in words, and its filter."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.contrib.auth import get_permission_codename
from django.db import models
from django.http import HttpRequest
from django.utils import timezone

from shipskip.web.publishing import ALWAYS, Publishable

STATES = {"draft": "Draft", "scheduled": "Scheduled", "public": "Public"}


def _may_publish(request: HttpRequest, options: Any) -> bool:
    codename = get_permission_codename("publish", options)
    return bool(request.user.has_perm(f"{options.app_label}.{codename}"))


def _may_touch(request: HttpRequest, options: Any, row: Any) -> bool:
    """Whether an editor may touch a row: who cannot publish leaves what is public alone."""
    if row is None or not isinstance(row, Publishable) or _may_publish(request, options):
        return True
    return row.state(timezone.now()) != "public"


class StateFilter(admin.SimpleListFilter):
    """Filter a list by draft, scheduled and public."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The states, as an editor calls them."""
        return list(STATES.items())

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """The rows in the chosen state, by their own moment."""
        now = timezone.now()
        if self.value() == "draft":
            return queryset.filter(published_at=None)
        if self.value() == "scheduled":
            return queryset.filter(published_at__gt=now)
        if self.value() == "public":
            return queryset.filter(published_at__lte=now)
        return queryset


class PublishableAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and a form of rows that are published by a moment in time."""

    formfield_overrides = {
        models.CharField: {"widget": AdminTextInputWidget(attrs={"class": "vLargeTextField"})}
    }
    list_per_page = 50
    show_full_result_count = False
    save_on_top = True

    @admin.display(description="State", ordering="published_at")
    def state(self, row: Publishable) -> str:
        """The state in words, with the moment that makes it so."""
        now = timezone.now()
        word = STATES[row.state(now)]
        if row.published_at is None or row.published_at == ALWAYS:
            return word
        since = "from" if row.published_at > now else "since"
        return f"{word} {since} {row.published_at:%d %b %Y %H:%M}"

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whether this editor may say when something is public."""
        return _may_publish(request, self.opts)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is public is changed by those who may publish alone."""
        return super().has_change_permission(request, obj) and _may_touch(request, self.opts, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is public is deleted by those who may publish alone."""
        return super().has_delete_permission(request, obj) and _may_touch(request, self.opts, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The moment of publication is set by those who may publish alone."""
        fields = super().get_readonly_fields(request, obj)
        return fields if self.has_publish_permission(request) else [*fields, "published_at"]

    def get_view_on_site_url(self, obj: Any = None) -> str | None:
        """The public page, where there is one to see."""
        if obj is None or not self.view_on_site:
            return None
        # As it is stored: what the form holds may have been refused.
        stored = type(obj).objects.published(timezone.now()).filter(pk=obj.pk).first()
        return str(stored.get_absolute_url()) if stored else None


class PhrasesField(forms.CharField):
    """A list of short phrases, written one a line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        """Lines from a list; text that was refused stays as it was typed."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """A list from lines, empty ones left out."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the phrases differ, white space aside."""
        return bool((initial or []) != self.to_python(data))
