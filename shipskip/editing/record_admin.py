"""The base of the screens of the public record, whose entries editors explain and never delete."""

from typing import Any, ClassVar, TypeVar

from django import forms
from django.db import models
from django.http import HttpRequest

from shipskip.editing.admin_base import FORM_FIELDS, BaseAdmin
from shipskip.editing.permissions import may_publish

C = TypeVar("C", bound=models.Model)

CORRECTION_HELP = (
    "Fill it in if the earlier value was our error: one line for readers, such as “We misread the "
    "price list.” A correction is no news in the newsletter."
)


class RecordAdmin(BaseAdmin[C]):
    """Entries of the public record, newest first; only what explains them can be changed."""

    publishes: ClassVar[type[models.Model]]
    """The model of what was changed: who may publish it may explain the change."""
    extra_lookups = ("tool__id__exact",)  # a tool's page links to its changes
    formfield_overrides = FORM_FIELDS

    def formfield_for_dbfield(
        self, db_field: "models.Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        """The field of the note says when to fill it in."""
        if db_field.name == "correction":
            kwargs["help_text"] = CORRECTION_HELP
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Editors who may publish what was changed."""
        return may_publish(request, self.publishes._meta)

    def has_view_permission(self, request: HttpRequest, obj: C | None = None) -> bool:
        return may_publish(request, self.publishes._meta)

    def has_change_permission(self, request: HttpRequest, obj: C | None = None) -> bool:
        return may_publish(request, self.publishes._meta)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Entries are created only by changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: C | None = None) -> bool:
        """Entries of the public record are never deleted."""
        return False
