"""Save the form of a row: with a row lock, one retry, and a page for a row deleted meanwhile."""

from collections.abc import Callable

from django.contrib.admin.widgets import AdminTextInputWidget
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from shipskip.editing import draft_recovery
from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.fields import MarkdownField, MarkdownInput
from shipskip.editing.history_entries import ModelField
from shipskip.editing.moments import ZONE_SUFFIX, MomentField, MomentInput
from shipskip.editing.row_locks import SAVING_KEY, RowDeletedError, retry_concurrent_save

FORM_FIELDS: dict[type[ModelField], dict[str, object]] = {
    models.CharField: {"widget": AdminTextInputWidget(attrs={"class": "vLargeTextField"})},
    models.TextField: {"form_class": MarkdownField, "widget": MarkdownInput},
    models.DateTimeField: {"form_class": MomentField, "widget": MomentInput},
}


def show_or_save(
    screen: BaseAdmin[M], request: HttpRequest, form: Callable[[], HttpResponse]
) -> HttpResponse:
    """Show the form of a row, show it with a recovered draft, or save it."""
    draft_recovery.fill_in(request)
    if request.method == "POST":
        request.META[SAVING_KEY] = True
    try:
        return retry_concurrent_save(form)
    except RowDeletedError:
        return _deleted_page(screen, request)
    finally:
        request.META.pop(SAVING_KEY, None)


def _deleted_page(screen: BaseAdmin[M], request: HttpRequest) -> HttpResponse:
    """Show the submitted text when the row was deleted meanwhile, so that it is not lost."""
    labels = {each.name: str(each.verbose_name) for each in screen.opts.fields}
    texts = [
        (labels.get(name, name).replace("_", " ").capitalize(), str(text))
        for name, text in request.POST.items()
        if not name.startswith(("_", "csrf"))
        and not name.endswith(("loaded", "_FORMS", ZONE_SUFFIX))
    ]
    context = {
        **screen.page_context(request),
        "title": f"This {screen.opts.verbose_name} was deleted",
        "texts": [(name, text) for name, text in texts if text.strip()],
    }
    return render(request, "admin/deleted_while_editing.html", context, status=409)
