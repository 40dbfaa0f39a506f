"""Signed preview links from the desk, and their withdrawal.

The model has a `preview_key`, and its app a URL named `preview`.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from shipskip.editing.admin_base import BaseAdmin, M
from shipskip.editing.permissions import may_publish
from shipskip.editing.states import name_of
from shipskip.web import preview_tokens
from shipskip.web.htmx import see_other
from shipskip.web.publishing import Previewable


def are_kept(request: HttpRequest) -> bool:
    """Whether the editor ticked the box that keeps the preview links after a withdrawal."""
    return "_keep_previews" in request.POST


@BaseAdmin.page("<path:object_id>/preview/", "preview", require_safe, for_rows=Previewable)
def preview_view(screen: BaseAdmin[M], request: HttpRequest, object_id: str) -> HttpResponse:
    """Redirect to the preview, with a new link."""
    row: Any = screen.get_object(request, unquote(object_id))
    if not screen.has_view_permission(request, row):
        raise PermissionDenied
    if row is None:
        return screen.redirect_missing(request, object_id)
    return see_other(_path(screen, row, timezone.now()))


@BaseAdmin.page(
    "<path:object_id>/withdraw-previews/",
    "withdraw_previews",
    require_POST,
    for_rows=Previewable,
)
def end_previews_view(screen: BaseAdmin[M], request: HttpRequest, object_id: str) -> HttpResponse:
    """Withdraw all preview links of the row created so far."""
    if not may_publish(request, screen.opts):
        raise PermissionDenied
    row = screen.get_object(request, unquote(object_id))
    if row is None:
        return screen.redirect_missing(request, object_id)
    # update() records no version: the key is not content.
    screen.get_queryset(request).filter(pk=row.pk).update(preview_key=preview_tokens.fresh_key())
    messages.success(
        request,
        f"All earlier preview links of “{name_of(row)}” have stopped working. New links work.",
    )
    return screen.redirect_to("change", row.pk)


def link_context(screen: BaseAdmin[M], request: HttpRequest, row: Previewable) -> dict[str, object]:
    """Context of the form page: a link to copy, and whether this editor may withdraw all."""
    now = timezone.now()
    return {
        "preview_link": f"{settings.SITE_URL}{_path(screen, row, now)}",
        "preview_until": now + preview_tokens.VALID,
        "may_withdraw_previews": may_publish(request, screen.opts),
    }


def _path(screen: BaseAdmin[M], row: Previewable, now: datetime) -> str:
    token = preview_tokens.sign(str(screen.opts.model_name), row.pk, row.preview_key, now)
    return reverse(f"{screen.opts.app_label}:preview", args=[token])
