"""Static files from the site's own process, those of a newer release included.

While a server is reloaded, old and new workers answer side by side. A page of a new one names
files that the old ones did not know when they started: these are looked for on the disk.
"""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise that looks again for a file which it did not find when it started."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.autorefresh:
            self.directories = [(f"{self.static_root}/", self.static_prefix)]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The file, or what the rest of the site answers."""
        path = request.path_info
        late = not self.autorefresh and path not in self.files
        if late and path.startswith(self.static_prefix):
            try:
                found = self.find_file(path)
            except (OSError, ValueError):  # a name that no file can have
                found = None
            if found is not None:
                return self.serve(found, request)  # type: ignore[no-any-return]
        return super().__call__(request)  # type: ignore[no-any-return]
