"""Static files from the site's own process, including those of a newer release.

Other sites may show them: the style of a frame without an origin, and the pictures of cards.

While a server reloads, old and new workers answer at the same time. A page of a new one names
files that did not exist when the old ones started: these are looked up on disk.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

SITE_PICTURE = "icon-512.png"
"""The site's icon, for cards of pages without a picture of their own."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def static_files(get_response: GetResponse) -> GetResponse:
    """Middleware: serve the requested static file, or pass the request on."""

    def unknown(request: HttpRequest) -> HttpResponseBase:
        """Serve a file that was added after the process started, or pass the request on."""
        found = None
        if request.path_info.startswith(files.static_prefix) and not files.autorefresh:
            try:
                found = files.find_file(request.path_info)
            except (OSError, ValueError):  # a name that no file can have
                found = None
        answer: HttpResponseBase = files.serve(found, request) if found else get_response(request)
        return answer

    files = WhiteNoiseMiddleware(unknown)
    if not files.autorefresh:
        files.directories = [(f"{files.static_root}/", files.static_prefix)]

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = files(request)
        is_static = request.path_info.startswith(files.static_prefix)
        if is_static and response.status_code in (200, 206, 304):
            response["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return middleware
