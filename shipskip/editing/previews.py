"""Signed preview links from the desk, and their withdrawal.

The model has a `preview_key`, and its app a URL named `preview`.
"""

from datetime import datetime
from typing import Protocol

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.web import preview_tokens
from shipskip.web.htmx import see_other


def are_kept(request: HttpRequest) -> bool:
    """Whether the editor ticked the box that keeps the preview links after a withdrawal."""
    return "_keep_previews" in request.POST


class Previewed(Protocol):
    """A row whose page can be previewed."""

    pk: int
    preview_key: str


def preview_view(screen: ContentAdmin[P], request: HttpRequest, object_id: str) -> HttpResponse:
    """Redirect to the preview, with a new link."""
    row = screen.get_object(request, unquote(object_id))
    if not screen.has_view_permission(request, row):
        raise PermissionDenied
    if row is None:
        return screen.redirect_missing(request, object_id)
    return see_other(_path(screen, row, timezone.now()))


def end_previews_view(
    screen: ContentAdmin[P], request: HttpRequest, object_id: str
) -> HttpResponse:
    """Withdraw all preview links of the row created so far."""
    if not screen.has_publish_permission(request):
        raise PermissionDenied
    row = screen.get_object(request, unquote(object_id))
    if row is None:
        return screen.redirect_missing(request, object_id)
    # update() records no version: the key is not content.
    screen.get_queryset(request).filter(pk=row.pk).update(preview_key=preview_tokens.fresh_key())
    messages.success(
        request,
        f"All earlier preview links of “{row}” have stopped working. New links work.",
    )
    return screen.redirect_to("change", row.pk)


def link_context(
    screen: ContentAdmin[P], request: HttpRequest, row: Previewed
) -> dict[str, object]:
    """Context of the form page: a link to copy, and whether this editor may withdraw all."""
    now = timezone.now()
    return {
        "preview_link": f"{settings.SITE_URL}{_path(screen, row, now)}",
        "preview_until": now + preview_tokens.VALID,
        "may_withdraw_previews": screen.has_publish_permission(request),
    }


def _path(screen: ContentAdmin[P], row: Previewed, now: datetime) -> str:
    token = preview_tokens.sign(str(screen.opts.model_name), row.pk, row.preview_key, now)
    return reverse(f"{screen.opts.app_label}:preview", args=[token])
