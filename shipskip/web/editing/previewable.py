"""Signed links from the desk to a page as it will be, and their withdrawal."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST, require_safe

from shipskip.web import passes
from shipskip.web.htmx import see_other


class PreviewableAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A screen whose rows have a page that can be shown before it is public.

    The model has a `preview_key`, and its app an address named `preview`.
    """

    def get_urls(self) -> list[URLPattern]:
        """Django's own addresses after those of the links."""
        names = f"{self.opts.app_label}_{self.opts.model_name}"
        site = self.admin_site
        preview, withdraw = "<path:object_id>/preview/", "<path:object_id>/withdraw-previews/"
        return [
            path(preview, site.admin_view(self.to_preview), name=f"{names}_preview"),
            path(withdraw, site.admin_view(self.end_previews), name=f"{names}_withdraw_previews"),
            *super().get_urls(),
        ]

    @method_decorator(require_safe)
    def to_preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Onward to the page as it will be, by a fresh link."""
        row = self.get_object(request, unquote(object_id))
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        return see_other(self._path(row, timezone.now())) if row else self._gone(request, object_id)

    @method_decorator(require_POST)
    def end_previews(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """End every link to the row's preview that was made until now."""
        if not self._may_publish(request):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            return self._gone(request, object_id)
        # Not a save: the key is no content, and the history tells of content alone.
        self.get_queryset(request).filter(pk=row.pk).update(preview_key=passes.fresh_key())
        said = (
            f"All preview links of “{row}” made until now have ended. Those made from now on work."
        )
        self.message_user(request, said, messages.SUCCESS)
        return see_other(reverse(f"admin:{self._name('change')}", args=[row.pk]))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The form's page, with a link to copy and the act that ends all links."""
        row = context.get("original")
        if row is not None:
            now = timezone.now()
            context["preview_link"] = f"{settings.SITE_URL}{self._path(row, now)}"
            context["preview_until"] = now + passes.VALID
            context["may_withdraw_previews"] = self._may_publish(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def _path(self, row: Any, now: datetime) -> str:
        token = passes.sign(str(self.opts.model_name), row.pk, row.preview_key, now)
        return reverse(f"{self.opts.app_label}:preview", args=[token])

    def _name(self, act: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{act}"

    def _gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        answer: HttpResponse = self._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined]
            request, self.opts, object_id
        )
        return answer

    def _may_publish(self, request: HttpRequest) -> bool:
        codename = get_permission_codename("publish", self.opts)
        return bool(request.user.has_perm(f"{self.opts.app_label}.{codename}"))
