"""How long our front, nginx, may keep a public page: until the clock's next second."""

from collections.abc import Callable
from time import time

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from shipskip.web.caching import PUBLIC


def until_the_next_second(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, outside of the page cache: sets `X-Accel-Expires` for a front (`X-Front`).

    Front and site both look anew when the second turns, so that what is published in one second
    is seen in the next.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        now = int(time())
        response = get_response(request)
        if "HTTP_X_FRONT" in request.META and response.get("Cache-Control") == PUBLIC:
            response["X-Accel-Expires"] = f"@{now}"
        return response

    return middleware
