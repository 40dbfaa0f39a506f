"""Static files from the site's own process, those of a newer release included.

While a server is reloaded, old and new workers answer side by side. A page of a new one names
files that the old ones did not know when they started: these are looked for on the disk.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

Answer = Callable[[HttpRequest], HttpResponseBase]


def static_files(get_response: Answer) -> Answer:
    """Middleware: the static file that a request asks for, or what the rest of the site answers."""

    def unknown(request: HttpRequest) -> HttpResponseBase:
        """A file that was not there when the process started, or the rest of the site."""
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
    middleware: Answer = files
    return middleware
