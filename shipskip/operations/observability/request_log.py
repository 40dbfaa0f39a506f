"""A request id, metrics and one log line for every request that reaches Django."""

import logging
import re
import secrets
from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from shipskip.operations.observability import metrics
from shipskip.operations.observability.logs import request_id

log = logging.getLogger("shipskip.requests")
REQUEST_ID = re.compile(r"[0-9A-Za-z-]{8,64}")
UNLOGGED = {"livez", "readyz", "metrics", "static"}
"""Views that are not logged: monitors request them every few seconds, or browsers on each page."""


def log_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: gives the request an id, and counts, times and logs its response.

    An id from one of TRUSTED_PROXIES is used (an earlier middleware dropped the ids of others).
    Private responses have it in `X-Request-ID`; public ones do not, as they are the same for
    everybody.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        own_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        token = request_id.set(own_id)
        start = perf_counter()
        try:
            response = get_response(request)
            _log(request, response, perf_counter() - start)
        finally:
            request_id.reset(token)
        if "public" not in response.get("Cache-Control", ""):
            response["X-Request-ID"] = own_id
        return response

    return middleware


def _log(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    match = request.resolver_match
    files = request.path.startswith(settings.STATIC_URL)
    view = match.view_name if match else "static" if files else "none"
    metrics.count_response(request.method or "", view, response.status_code, seconds)
    if view in UNLOGGED or not log.isEnabledFor(logging.INFO):
        return
    path = request.path[:300]  # the formatters scrub it
    log.info(
        "%s %s %d",
        request.method,
        path,
        response.status_code,
        extra={
            "method": request.method,
            "route": match.route if match else "",
            "path": path,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        },
    )
