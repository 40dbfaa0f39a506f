"""Files that crawlers and browsers request at fixed addresses: robots.txt, icons, the manifest."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.web.cache_control import public
from shipskip.web.feeds import SITE_NAME

PAPER = "#fbfaf6"
"""The colour of light pages, `--paper` of tokens.css."""


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
def touch_icon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon of home screens, which phones request at a fixed address."""
    return redirect(static("touch-icon.png"))


@require_safe
@public
def manifest(request: HttpRequest) -> HttpResponse:
    """The web manifest: name, icons and colours of the site on a home screen."""
    icons = [
        {"src": static("icon.svg"), "type": "image/svg+xml", "sizes": "any"},
        {"src": static("touch-icon.png"), "type": "image/png", "sizes": "180x180"},
        {"src": static("icon-512.png"), "type": "image/png", "sizes": "512x512"},
    ]
    found = {
        "name": SITE_NAME,
        "start_url": "/",
        "display": "browser",
        "background_color": PAPER,
        "theme_color": PAPER,
        "icons": icons,
    }
    return JsonResponse(found, content_type="application/manifest+json")


@require_safe
@public
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon, for browsers that request `/favicon.ico`."""
    return redirect(static("icon.svg"))
