"""The headers that keep other sites out of ours, on every answer and always the same."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

UNUSED = (
    *("browsing-topics", "camera", "display-capture", "geolocation", "hid", "microphone", "midi"),
    *("identity-credentials-get", "payment", "publickey-credentials-get", "serial", "usb"),
)
"""Powers of a browser that no page of ours needs, so that no script that got in has them."""

HEADERS = {
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{name}=()" for name in UNUSED),
}


def isolated(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: no other site embeds, opens or reads ours.

    `Strict-Transport-Security` depends on SITE_URL alone and not on how a request came, since a
    page that is kept goes out to everybody.
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
