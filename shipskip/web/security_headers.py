"""Security headers of every response, always the same: cross-origin policies and HSTS."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

UNUSED = (
    *("browsing-topics", "camera", "display-capture", "geolocation", "hid", "microphone", "midi"),
    *("identity-credentials-get", "payment", "publickey-credentials-get", "serial", "usb"),
)
"""Browser features that no page uses; disabled, so that an injected script cannot use them."""

HEADERS = {
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{name}=()" for name in UNUSED),
}


def security_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: other sites can neither embed nor read a page of this one, unless its
    view lets them.

    `Strict-Transport-Security` depends on SITE_URL only, not on the scheme of a request, since a
    cached page is sent to everybody.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.setdefault(name, value)
        if settings.SECURE_SITE:
            response.setdefault("Strict-Transport-Security", _strict())
        return response

    return middleware


def _strict() -> str:
    words = [f"max-age={settings.SECURE_HSTS_SECONDS}"]
    if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS:
        words.append("includeSubDomains")
    if settings.SECURE_HSTS_PRELOAD:
        words.append("preload")
    return "; ".join(words)
