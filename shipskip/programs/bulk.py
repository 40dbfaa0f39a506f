"""The whole public catalogue to download: a JSON document, and CSV files in a zip.

A file is streamed, so the page cache has no copy of it; nginx has one, and revalidates it.
"""

import logging
from pathlib import Path
from typing import cast

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from shipskip.catalogue.public_files import (
    ENCODINGS,
    JSON,
    LONGEST_LIFETIME,
    PIECE,
    ZIP,
    BusyError,
    Edition,
    current_edition,
    edition_of,
)
from shipskip.page_cache.cached_page import best_encoding
from shipskip.programs.responses import for_programs
from shipskip.web.cache_control import PUBLIC, public

RETRY_SECONDS = 60

log = logging.getLogger(__name__)


@require_safe
@public
def document(request: HttpRequest) -> HttpResponse:
    """The document, which `load_catalogue` loads into another site."""
    encoding = best_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
    return _download(request, JSON, "application/json; charset=utf-8", encoding)


@require_safe
@public
def tables(request: HttpRequest) -> HttpResponse:
    """The zip."""
    return _download(request, ZIP, "application/zip")


def _download(
    request: HttpRequest, name: str, content_type: str, encoding: str = ""
) -> HttpResponse:
    """A file, or 304 if the reader has it."""
    edition = _edition(makes=request.method != "HEAD")
    if edition is None:
        busy = HttpResponse("The file is being made. Try again in a minute.", status=503)
        busy["Retry-After"] = str(RETRY_SECONDS)
        return for_programs(busy)
    path = edition.path(ENCODINGS[encoding] if encoding else name)
    etag, made_at = edition.etag(name, encoding), int(edition.made_at.timestamp())
    response: HttpResponseBase | None = get_conditional_response(request, etag, made_at)
    if response is None:
        response = _whole(path, content_type, is_head=request.method == "HEAD")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        if encoding:
            response["Content-Encoding"] = encoding
    response["Cache-Control"] = PUBLIC
    response["ETag"] = etag
    response["Last-Modified"] = http_date(made_at)
    response["Data-Version"] = edition.version
    response["Link"] = f'<{settings.DATA_LICENCE}>; rel="license"'
    response["Vary"] = "Accept-Encoding"
    return for_programs(cast(HttpResponse, response))


def _edition(*, makes: bool) -> Edition | None:
    """The files to send. Where there are any, they are sent while new ones are made or if that
    fails, and without `makes`; None if there are none.
    """
    existing = current_edition()
    if existing and not makes:
        return existing
    try:
        return edition_of(timezone.now(), LONGEST_LIFETIME)
    except BusyError:
        return current_edition()
    except OSError:  # a full disk, or a folder that cannot be written
        log.exception("The files of /data/ could not be made.")
        return current_edition()


def _whole(path: Path, content_type: str, *, is_head: bool) -> StreamingHttpResponse:
    """The file as a stream; without its bytes also one, as the page cache hashes other bodies."""
    if is_head:
        response = StreamingHttpResponse((), content_type=content_type)
    else:
        response = FileResponse(path.open("rb"), content_type=content_type)
        response.block_size = PIECE
    response["Content-Length"] = str(path.stat().st_size)
    return response
