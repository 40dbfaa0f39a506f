"""Files that crawlers and browsers request at fixed addresses: robots.txt and favicon.ico."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.web.cache_control import public


@require_safe
@public
def robots(request: HttpRequest) -> HttpResponse:
    """The paths that crawlers may not read, and the address of the sitemap."""
    lines = [
        "User-agent: *",
        "Disallow: /me/",
        "Disallow: /tools/*/vote/",
        "Disallow: /tools/*/bookmark/",
        "Disallow: /tools/*/report/",
        "Disallow: /corrections/follow/",
        f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
@public
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon, for browsers that request `/favicon.ico`."""
    return redirect(static("icon.svg"))
