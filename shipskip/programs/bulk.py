"""The whole public catalogue to download: a JSON document, and CSV files in a zip.

A file is streamed, so the page cache has no copy of it; nginx has one, and revalidates it.
"""

import logging
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from shipskip.catalogue.public_files import (
    ENCODINGS,
    JSON,
    LONGEST_LIFETIME,
    ZIP,
    BusyError,
    Edition,
    current_edition,
    edition_of,
)
from shipskip.page_cache.cached_page import best_encoding
from shipskip.page_cache.content_version import stored_number
from shipskip.programs.responses import for_programs, public_file
from shipskip.web.background import start_once
from shipskip.web.cache_control import public
from shipskip.web.problems import problem

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
    edition = _edition(request)
    if edition is None:
        # For a 503 nginx would send its old copy.
        busy = problem(404, "The file is being made. Try again in a minute.")
        busy["Retry-After"] = str(RETRY_SECONDS)
        return for_programs(busy)
    response = public_file(
        request,
        edition.path(ENCODINGS[encoding] if encoding else name),
        content_type,
        edition.etag(name, encoding),
        int(edition.made_at.timestamp()),
    )
    if response.status_code == 200:
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        if encoding:
            response["Content-Encoding"] = encoding
    response["Last-Modified"] = http_date(edition.made_at.timestamp())
    response["Data-Version"] = edition.version
    response["Link"] = f'<{settings.DATA_LICENCE}>; rel="license"'
    response["Vary"] = "Accept-Encoding"
    return response


def _edition(request: HttpRequest) -> Edition | None:
    """The files to send. Old ones are sent while new ones are made or if that fails, and for HEAD;
    None if there are none, or if they show what is withdrawn: then others are made beside the site.
    """
    existing = current_edition()
    if existing and existing.shows_withdrawn(stored_number()):
        try:
            start_once(Path(settings.VAR_DIR) / "data" / "work.lock", "manage.py", "work")
        except OSError:
            log.exception("The files of /data/ could not be made.")
        return None
    if existing and request.method == "HEAD":
        return existing
    try:
        return edition_of(timezone.now(), LONGEST_LIFETIME)
    except BusyError:
        return existing
    except OSError:  # a full disk, or a folder that cannot be written
        log.exception("The files of /data/ could not be made.")
        return existing
