"""Error pages in the design of the site; each says what the reader can do next."""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import cast

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import DisallowedHost, TooManyFieldsSent
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string

from comparisons.addresses import MAX_TOOLS, SEPARATOR, address, parse, picker_address
from shipskip.content.current import content_of
from shipskip.content.often_compared import often_compared
from shipskip.editing import draft_recovery
from shipskip.page_cache.render_turns import BusyError
from shipskip.search.results import near_names
from shipskip.web.desk_path import DESK_PATH
from shipskip.web.postgresql.waits import drop_dead_connections
from shipskip.web.problems import is_for_programs, problem
from shipskip.web.same_origin import is_same_origin
from shipskip.web.slugs import MAX_LENGTH

MAX_COMPARISONS = 4
"""How many comparisons a 404 page offers."""

log = logging.getLogger(__name__)


def method_not_allowed_page(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: add a page to an empty 405 response; its headers, such as Allow, stay."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b""):
            if is_for_programs(request.path_info):
                answer = problem(405)
                answer["Allow"] = response["Allow"]
                return answer
            context = {"method": request.method, "allowed": response["Allow"]}
            page = render(request, "errors/405.html", context, status=405)
            page.headers = response.headers
            page["Content-Type"] = "text/html; charset=utf-8"
            page.headers.pop("Content-Length", None)
            return page
        return response

    return middleware


MAX_SIMILAR = 5
"""How many similar names a page offers for each name in its address."""

MAX_BODY, MAX_DESK_BODY = 2**20, 32 * 2**20
"""Maximum bytes of a request's body. The desk accepts files and checks their sizes itself."""


def limit_body_size(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: 413 for a body larger than any form of the site needs; it is not read. 411 for a
    body in chunks, which granian hands over as empty.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "HTTP_TRANSFER_ENCODING" in request.META:
            if is_for_programs(request.path_info):
                return problem(411)
            return render(request, "errors/411.html", status=411)
        length = request.META.get("CONTENT_LENGTH") or "0"
        desk = request.path_info.startswith(DESK_PATH)
        most = MAX_DESK_BODY if desk else MAX_BODY
        if length.isascii() and length.isdigit() and len(length) < 20 and int(length) <= most:
            return get_response(request)
        if is_for_programs(request.path_info):
            return problem(413)
        return render(request, "errors/413.html", {"kilobytes": most // 1024}, status=413)

    return middleware


BAD_REQUESTS: Mapping[type[object], str] = {
    TooManyFieldsSent: "A query has at most 1,000 keys.",
    DisallowedHost: "The request names another host than this site's.",
}
"""What programs read of requests that are refused."""


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request could not be read."""
    return _own_page(request, 400, BAD_REQUESTS.get(type(exception), ""))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: the user lacks the permission."""
    return render(request, "errors/403.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: the CSRF token of a form is missing, wrong or too old.

    Text that an editor sent with an old token is put back into the form.
    """
    if draft_recovery.is_desk_path(request.path) and is_same_origin(request):
        answer = admin.site.keep_text(request)  # type: ignore[attr-defined]
        if answer is not None:
            return cast(HttpResponse, answer)
    return render(request, "errors/403.html", {"csrf": True}, status=403)


def locked_out(
    request: HttpRequest, original_response: object = None, credentials: object = None
) -> HttpResponse:
    """429: too many wrong passwords; the page and Retry-After say how long to wait."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "errors/429.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(minutes * 60)
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: the page says what was not found, and offers a search and similar names."""
    reason = exception.args[0] if exception and exception.args else ""
    ours = isinstance(reason, str) and "matches the given query" not in reason
    if is_for_programs(request.path_info):
        return problem(404, reason if ours else "")
    context: dict[str, object] = {"reason": reason if ours else ""}
    if not request.path.startswith(settings.STATIC_URL):
        context |= _nearest(request)
    return render(request, "errors/404.html", context, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: an unexpected error; the page uses neither the database nor the request.

    503 with Retry-After when the database does not answer or too many pages are being rendered,
    since that is temporary.
    """
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError | BusyError):
        if not isinstance(error, BusyError):
            drop_dead_connections()
        response = _own_page(request, 503)
        response["Retry-After"] = "5"
        return response
    return _own_page(request, 500)


def _own_page(request: HttpRequest, status: int, detail: str = "") -> HttpResponse:
    if is_for_programs(request.path_info):
        return problem(status, detail)
    return HttpResponse(render_to_string(f"errors/{status}.html"), status=status)


def _nearest(request: HttpRequest) -> dict[str, object]:
    """The public tools with names similar to the path, and the comparison it may have meant."""
    segments = request.path[:2_000].lower().strip("/").split("/")
    name = segments[min(1, len(segments) - 1)]
    slugs = list(dict.fromkeys(parse(name) or ()))
    if len(slugs) > MAX_TOOLS:
        return {"picker": picker_address(slugs[:MAX_TOOLS])}
    parts = name.split(SEPARATOR)[:3]
    try:
        content = content_of(request)
        found = [near_names(part[:MAX_LENGTH], content, MAX_SIMILAR) for part in parts]
        best = [row[0] for row in found if row]
        suggested = often_compared(content, best, most=MAX_COMPARISONS)
    except (DatabaseError, InterfaceError):
        log.exception("No similar names for a 404 page: the database did not answer.")
        return {}
    tools = list({tool.pk: tool for row in found for tool in row[:4]}.values())
    context: dict[str, object] = {"nearest": tools, "compared": suggested.links}
    context["by_use"] = suggested.by_use
    if len(slugs) > 2:
        context["picker"] = picker_address(slugs)
    if len(parts) == len(best) == 2 and best[0] != best[1]:
        context["pair"] = {"url": address([tool.slug for tool in best]), "tools": best}
    return context
