"""Lists at the desk: what their addresses may ask for."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from shipskip.web.editing.overtaken import changed_fields
from shipskip.web.text import FORBIDDEN

IGNORED = "e=1"
"""What Django's lists add to their address to say that something in it was left out."""


class SoundListAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list that is asked by its own filters alone; any other question is a fault of the asker."""

    also_asked: tuple[str, ...] = ()
    """Lookups that other screens link with, beside those of `list_filter`."""

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        """Only what a filter of this list asks: no database meets what it cannot compare."""
        allowed = set(self.also_asked)
        for each in self.get_list_filter(request):
            if isinstance(each, str):
                allowed |= {f"{each}__exact", f"{each}__id__exact"}
            else:
                allowed.add(getattr(each, "parameter_name", ""))
        return lookup in allowed

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list; an address that holds what no text holds leads to the list without it."""
        asked = (text for name, texts in request.GET.lists() for text in (name, *texts))
        if any(FORBIDDEN.search(text) for text in asked):
            return HttpResponseRedirect(f"{request.path}?{IGNORED}")
        return super().changelist_view(request, extra_context)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save a new row, or what the form changes of one; a form that changes nothing saves
        nothing.
        """
        if not change:
            super().save_model(request, obj, form, change)
        elif names := changed_fields(form):
            self.save_fields(obj, names, form.initial)

    def save_fields(self, row: Any, names: list[str], before: Mapping[str, Any]) -> None:
        """Save these fields of a row, whose values were those of `before`."""
        row.save(update_fields=names)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log a change; a save that changed nothing has no message and is not logged."""
        return super().log_change(request, obj, message) if message else None
