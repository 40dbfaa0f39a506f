"""The editors' desk: Django's admin with our own first page and further pages."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any
from urllib.parse import urlsplit

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from shipskip.desk import edit_link
from shipskip.desk.login import RETRY_SECONDS, LoginForm, remember_browser
from shipskip.desk.menu import menu_for
from shipskip.editing import draft_recovery

Screen = Callable[..., HttpResponseBase]


class Desk(AdminSite):
    """The admin site of the project."""

    login_form = LoginForm
    logout_template = "admin/logged_out.html"
    site_header = site_title = "Ship or Skip: the editors’ desk"
    index_title = "Today"
    enable_nav_sidebar = False

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Our pages, for desk users only, before Django's URLs."""
        from shipskip.desk.urls import SCREENS  # needs the app registry

        screens = [path(route, self.admin_view(view), name=name) for route, view, name in SCREENS]
        return [*screens, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "menu": menu_for(request)}

    def app_index(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:  # type: ignore[override]
        """Redirect Django's page of one app, which the menu replaces."""
        return HttpResponseRedirect(reverse("admin:index"))

    def index(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> TemplateResponse:
        from shipskip.desk.dashboard import dashboard_for  # needs the app registry

        context = {"dashboard": dashboard_for(request), **(extra_context or {})}
        return super().index(request, context)

    def admin_view(self, view: Screen, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002
        """Wrap a view for desk users; a form sent without a session comes back with the login."""
        guarded = super().admin_view(view, cacheable)

        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if not self.has_permission(request) and (page := self.keep_text(request)) is not None:
                return page
            try:
                response = guarded(request, *args, **kwargs)
            except PermissionDenied:
                if not self.has_permission(request):
                    raise
                response = self.not_yours(request)
            draft_recovery.delete_copy(request, response)
            return response

        return update_wrapper(answer, guarded)

    def not_yours(self, request: HttpRequest) -> HttpResponse:
        """Refuse a screen that this account may not open, with the menu of those that it may: after
        a login as another user, or by a colleague's link.
        """
        request.current_app = self.name
        context = {**self.each_context(request), "title": "Your account may not open this"}
        return render(request, "admin/not_yours.html", context, status=403)

    def keep_text(self, request: HttpRequest) -> HttpResponse | None:
        """Recover a form that cannot be saved: redirect to it, or show the login; else None.

        This is needed when the session expired, or another login replaced the CSRF token.
        """
        if not draft_recovery.is_draft(request):
            return None
        text = draft_recovery.to_json(request)
        if self.has_permission(request):
            draft_recovery.store(request, request.path, text)
            return HttpResponseRedirect(request.get_full_path())
        context = {
            **self.each_context(request),
            "title": "Log in again to continue",
            "app_path": reverse("admin:login"),
            "next": request.get_full_path(),
            "recovered_form": text,
            "form": LoginForm(request),
        }
        return render(request, "admin/login.html", context, status=403)

    def login(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The login; a recovered form is stored for its own page. 429 while others are checked."""
        text = request.POST.get("kept", "")
        context = {"recovered_form": text, **(extra_context or {})}
        answer: HttpResponse = super().login(request, context)
        form = getattr(answer, "context_data", {}).get("form")
        if isinstance(form, LoginForm) and form.is_bound and form.is_busy:
            answer.status_code = 429
            answer["Retry-After"] = str(RETRY_SECONDS)
        is_logged_in = answer.status_code == 302 and self.has_permission(request)
        if request.method != "POST" or not is_logged_in:
            return answer
        edit_link.offer(answer)
        if request.POST.get("shared"):
            request.session[draft_recovery.SHARED] = True
        else:
            remember_browser(request, answer)
        if text:
            draft_recovery.store(request, urlsplit(answer["Location"]).path, text)
        return answer

    def logout(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> TemplateResponse:
        """Log out; public pages no longer offer to edit."""
        answer = super().logout(request, extra_context)
        answer.delete_cookie(edit_link.COOKIE, samesite="Lax")
        return answer
