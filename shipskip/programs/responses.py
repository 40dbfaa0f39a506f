"""Headers of what programs and other sites read."""

from pathlib import Path
from typing import cast

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from shipskip.web.cache_control import PUBLIC

PREFLIGHT_SECONDS = 24 * 3600
"""How long a browser keeps the answer to a preflight; most keep it shorter."""


def for_programs(response: HttpResponse) -> HttpResponse:
    """Let scripts of other sites read the response. It carries no secret and no cookie."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "ETag, Link, Data-Version"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def preflight(methods: str, headers: str) -> HttpResponse:
    """What a browser asks before a script of another site sends a request: these methods and
    headers may be used.
    """
    response = HttpResponse(status=204)
    del response["Content-Type"]
    response["Allow"] = f"{methods}, OPTIONS"
    response["Access-Control-Allow-Methods"] = methods
    response["Access-Control-Allow-Headers"] = headers
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return for_programs(response)


FILE_PIECE = 2**20
"""How many bytes of a file are in memory at a time."""


def public_file(
    request: HttpRequest, path: Path, content_type: str, etag: str, made_at: int | None = None
) -> HttpResponse:
    """A file as a stream, or 304 if the reader has it: the page cache has no copy, nginx has one.
    `made_at` is in seconds since 1970.
    """
    response: HttpResponseBase | None = get_conditional_response(request, etag, made_at)
    if response is None and request.method == "HEAD":  # a stream, as the page cache hashes others
        response = StreamingHttpResponse((), content_type=content_type)
    elif response is None:
        response = FileResponse(path.open("rb"), content_type=content_type)
        response.block_size = FILE_PIECE
    if response.streaming:
        response["Content-Length"] = str(path.stat().st_size)
    response["Cache-Control"] = PUBLIC
    response["ETag"] = etag
    return for_programs(cast(HttpResponse, response))
