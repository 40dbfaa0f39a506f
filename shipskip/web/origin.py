"""Where a form was sent from, as the browser says."""

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware


def from_our_own_page(request: HttpRequest) -> bool:
    """Whether the browser says that the form was sent from a page of this site."""
    check: Any = CsrfViewMiddleware(lambda _: None)  # type: ignore[arg-type]
    if "Origin" in request.headers:
        return bool(check._origin_verified(request))
    came_from = urlsplit(request.headers.get("Referer", ""))
    return bool(came_from.netloc) and came_from.netloc == request.get_host()
