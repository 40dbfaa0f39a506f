"""The twins of a page for programs: its address without the last slash, with `.md`, `.json` or
`.csv`. The page names them in its Link header.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import register_converter
from django.urls.converters import StringConverter
from django.utils.encoding import escape_uri_path

P = ParamSpec("P")

MEDIA_TYPES = {"md": "text/markdown", "json": "application/json", "csv": "text/csv"}
"""The media types by the ends of the addresses."""


class _TwinConverter(StringConverter):
    regex = "md|json"


class _TableConverter(StringConverter):
    regex = "md|json|csv"


register_converter(_TwinConverter, "twin")
register_converter(_TableConverter, "table")


def with_twins(
    *formats: str, embeds: bool = False
) -> Callable[
    [Callable[Concatenate[HttpRequest, P], HttpResponse]],
    Callable[Concatenate[HttpRequest, P], HttpResponse],
]:
    """Name the twins of a page in these formats in the Link header of a public view; also the
    oEmbed of a page that `embeds` in other sites.
    """

    def decorator(
        view: Callable[Concatenate[HttpRequest, P], HttpResponse],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            response = view(request, *args, **kwargs)
            if response.status_code == 200:
                start = escape_uri_path(request.path).rstrip("/")
                links = [(f"{start}.{each}", MEDIA_TYPES[each]) for each in formats]
                if embeds:
                    url = quote(f"{settings.SITE_URL}{request.path}", safe="")
                    links.append((f"/oembed?url={url}", "application/json+oembed"))
                response["Link"] = ", ".join(
                    f'<{url}>; rel="alternate"; type="{media_type}"' for url, media_type in links
                )
            return response

        return answer

    return decorator
