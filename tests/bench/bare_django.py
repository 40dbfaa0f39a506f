"""Settings and addresses of a bare Django view: the same bytes, server and middleware, no site."""

import os
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.urls import path

from tests.bench.quiet import *  # noqa: F403

ROOT_URLCONF = "tests.bench.bare_django"
BYTES = Path(os.environ["BENCH_BYTES"])
KEPT: list[bytes] = []


def bare(request: HttpRequest) -> HttpResponse:
    """The page's bytes, compressed as they are cached."""
    if not KEPT:
        KEPT.append(BYTES.read_bytes())
    response = HttpResponse(KEPT[0], content_type="text/html; charset=utf-8")
    response["Content-Encoding"] = "br"
    return response


urlpatterns = [path("bare/", bare)]
