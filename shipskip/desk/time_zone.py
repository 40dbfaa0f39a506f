"""Middleware: the desk in its editor's own time zone; time_zone.js stores it in a cookie."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from shipskip.editing.draft_recovery import is_desk_path
from shipskip.editing.moments import zone_named

COOKIE = "desk_zone"


def desk_in_own_zone(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: show and read the desk's times in the zone of the cookie; without one, in UTC."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        zone = zone_named(request.COOKIES.get(COOKIE)) if is_desk_path(request.path) else None
        if zone is None:
            return get_response(request)
        with timezone.override(zone):
            return get_response(request)

    return respond
