"""The twins of a page for programs: its address without the last slash, with `.md`, `.json` or
`.csv`. The page names them in its Link header, and answers with its Markdown itself where a client
prefers that.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import register_converter, resolve
from django.urls.converters import StringConverter
from django.utils.encoding import escape_uri_path

P = ParamSpec("P")

MEDIA_TYPES = {"md": "text/markdown", "json": "application/json", "csv": "text/csv"}
"""The media types by the ends of the addresses."""

HTML, MARKDOWN = "text/html", MEDIA_TYPES["md"]

PREFERS_MARKDOWN = re.compile(
    r"^(?!(?:.*,)?\s*text/html\s*(?=[,;]|$)(?![^,]*;\s*q=0))"
    r"(?:.*,)?\s*text/markdown\s*(?=[,;]|$)(?![^,]*;\s*q=0)",
    re.IGNORECASE,
)
"""An Accept header with Markdown at full weight, and HTML at less or not at all. nginx has the same
expression, because it decides before us which stored page is sent.
"""


class Twins(NamedTuple):
    """What a page has besides its HTML: twins in these formats, and its oEmbed."""

    formats: tuple[str, ...] = ()
    embeds: bool = False

    def links(self, path: str) -> list[tuple[str, str]]:
        """The addresses of the twins of the page at a path, with their media types."""
        stem = escape_uri_path(path).rstrip("/")
        return [(f"{stem}.{each}", MEDIA_TYPES[each]) for each in self.formats]

    def discovery(self, path: str) -> list[tuple[str, str]]:
        """What the head of the page names: its Markdown, and its oEmbed at an absolute address."""
        links = [link for link in self.links(path) if link[1] == MARKDOWN]
        if self.embeds:
            site = settings.SITE_URL
            links.append((f"{site}/oembed?url={site}{path}", "application/json+oembed"))
        return links


def twins_of(view: Callable[..., HttpResponseBase]) -> Twins:
    """The twins of a view's pages."""
    found: Twins = vars(view).get("twins", Twins())
    return found


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
    """Give the pages of a public view twins in these formats, which their Link header names;
    `embeds`: other sites find their oEmbed.
    """
    twins = Twins(formats, embeds)

    def decorator(
        view: Callable[Concatenate[HttpRequest, P], HttpResponse],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.META.get("HTTP_ACCEPT") == MARKDOWN:  # as the page cache decided
                match = resolve(f"{request.path_info.rstrip('/')}.md")
                twin: HttpResponse = match.func(request, *match.args, **match.kwargs)
                if twin.status_code == 200:  # a redirect leads to the page, whatever the format
                    return twin
            response = view(request, *args, **kwargs)
            if response.status_code == 200:
                response["Link"] = ", ".join(
                    f'<{url}>; rel="alternate"; type="{media_type}"'
                    for url, media_type in twins.links(request.path)
                )
            return response

        vars(answer)["twins"] = twins
        return answer

    return decorator
