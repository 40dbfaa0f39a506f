"""The base admin class of rows with a history that have no publication of their own."""

from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.views.decorators.http import require_safe

from shipskip.editing import history
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.row_locks import RowDeletedError, saving
from shipskip.editing.saving import FORM_FIELDS, show_or_save


class VersionedAdmin(BaseAdmin[M]):
    """List and form of rows, with detection of edit conflicts and a history."""

    form = ConflictForm
    change_form_template = "admin/versioned.html"
    formfield_overrides = FORM_FIELDS
    recovers_drafts = True
    list_per_page = 50
    show_full_result_count = False
    actions = None

    def get_urls(self) -> list[URLPattern]:
        """The history before Django's own URLs."""
        own = self.page("<path:pk>/history/", "history", require_safe, history.history_view)
        return [own, *super().get_urls()]

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
        """Show the form, show it with a recovered draft, or save it."""
        form = partial(super().changeform_view, request, object_id, form_url, extra_context)
        return show_or_save(self, request, form)

    def save_model(
        self, request: HttpRequest, obj: Any, form: "forms.ModelForm[M]", change: object
    ) -> None:
        """Save; the version records the editor."""
        obj.changed_by(request.user)
        super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete a row; its last version records the editor."""
        obj.changed_by(request.user)
        obj.delete()

    def construct_change_message(self, *args: object, **kwargs: object) -> list[Any]:
        """Return no message: the row history replaces Django's log."""
        return []
