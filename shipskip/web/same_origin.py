"""Whether a form was sent by a page of this site, from the headers that browsers send with it.

This is the CSRF protection of forms in public pages. They contain no token, since their pages are
the same bytes for everybody. Scripts and forms of other sites cannot set these headers, so the
headers reveal a forged request as reliably as a token.
"""

import logging
import re
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from shipskip.web.cache_control import P, View

Origin = tuple[str, str, int]

log = logging.getLogger(__name__)

SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")
DEFAULT_PORTS = {"http": 80, "https": 443}
NOT_SAME_ORIGIN = (
    "Nothing was changed: your browser does not say that this form is on a page of this site. "
    "Reload the page and try again, without an extension or a proxy that hides this."
)
_ORIGIN = re.compile(
    r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.IGNORECASE | re.ASCII
)


def is_same_origin(request: HttpRequest) -> bool:
    """Whether the request's headers show that a page of this site sent it.

    If `Sec-Fetch-Site` is sent, only that header counts; browsers send it to HTTPS and localhost,
    Safari since 16.4. Otherwise `Origin` counts, and without it `Referer`: scheme, host and port
    must be those of the request, or of SITE_URL if it is HTTPS (a proxy may have changed `Host`).
    """
    headers = request.headers
    if (site := headers.get("Sec-Fetch-Site")) is not None:
        return site == "same-origin"
    sender = headers.get("Origin")
    if sender is None:
        sender = "/".join(headers.get("Referer", "").split("/", 3)[:3])
    origin = _parse(sender)
    return origin is not None and origin in map(_parse, _own_origins(request))


def same_origin_only(view: View[P]) -> View[P]:
    """Mark the view of a public form: it needs no CSRF token, and a request that no page of this
    site sent gets 403, with a page or, for HTMX, a sentence. GET requests are not checked.
    """

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method in SAFE_METHODS or is_same_origin(request):
            return view(request, *args, **kwargs)
        log.warning("A form was refused: no page of %s sent it.", _own_origins(request)[0])
        if "HX-Request" in request.headers:
            return HttpResponse(NOT_SAME_ORIGIN, "text/plain; charset=utf-8", 403)
        return render(request, "errors/403.html", {"not_same_origin": True}, status=403)

    return answer


def _own_origins(request: HttpRequest) -> list[str]:
    """The origin that the request was sent to, then our origins according to the settings."""
    return [f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS]


def _parse(origin: str) -> Origin | None:
    """Scheme, host in small letters, and port; None unless the text is exactly an origin."""
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    return scheme, host, int(found[3] or DEFAULT_PORTS[scheme])
