"""Every request that reaches Django is numbered, measured, and told in one log line."""

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
FOREIGN = re.compile(r"[0-9A-Za-z-]{8,64}")
SECRETS = {"key", "token", "secret"}
"""Names of what an address captures and a log may not keep."""

LONG = re.compile(r"[\w-]{32,}")
"""What may be such a key, in an address that is none of ours."""

UNTOLD = {"livez", "readyz", "metrics", "health", "static"}
"""Asked by machines every few seconds, or with every page; a line each would hide the others."""


def watched(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: gives the request an id, and counts, times and logs its answer.

    The id of one of TRUSTED_PROXIES is taken over (others' are gone by then). It leaves with
    private answers in `X-Request-ID`; a public answer is the same for everybody and has none.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        mine = given if FOREIGN.fullmatch(given) else secrets.token_hex(8)
        token = request_id.set(mine)
        begun = perf_counter()
        try:
            response = get_response(request)
            _tell(request, response, perf_counter() - begun)
        finally:
            request_id.reset(token)
        if "public" not in response.get("Cache-Control", ""):
            response["X-Request-ID"] = mine
        return response

    return middleware


def _tell(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    match = request.resolver_match
    files = request.path.startswith(settings.STATIC_URL)
    view = match.view_name if match else "static" if files else "none"
    metrics.answered(request.method or "", view, response.status_code, seconds)
    if view in UNTOLD or not log.isEnabledFor(logging.INFO):
        return
    log.info(
        "%s %s %d",
        request.method,
        _place(request),
        response.status_code,
        extra={
            "method": request.method,
            "route": match.route if match else "",
            "path": _place(request),
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        },
    )


def _place(request: HttpRequest) -> str:
    """The path without its query; its pattern where the path itself opens something."""
    match = request.resolver_match
    if match is None:
        return LONG.sub("[long]", request.path[:300])
    return f"/{match.route}" if SECRETS & match.kwargs.keys() else request.path[:300]
