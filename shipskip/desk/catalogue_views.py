"""Download and upload the catalogue document, and takes and facts as CSV; for publishers."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from shipskip.catalogue import facts_csv, takes_csv
from shipskip.catalogue.dumping import dump as dump_document
from shipskip.catalogue.loading import load as load_document
from shipskip.desk import upload_views
from shipskip.desk.upload_views import FileFormat

MAX_ROWS = 5_000
"""Row limit of a CSV file: loading takes a few seconds, in which SQLite cannot write votes."""

CATALOGUE = FileFormat(
    title="Catalogue",
    screen="catalogue",
    template="admin/catalogue.html",
    command="python manage.py load_catalogue FILE",
    history_note="Loaded from a catalogue document",
    load=load_document,
    dump=dump_document,
    file_name="catalogue-{:%Y-%m-%d}.json",
    content_type="application/json",
)
TAKES = FileFormat(
    title="Takes as CSV",
    screen="takes-csv",
    template="admin/takes_csv.html",
    command=takes_csv.COMMAND,
    history_note=takes_csv.HISTORY_NOTE,
    load=partial(takes_csv.load, max_rows=MAX_ROWS),
    dump=takes_csv.dump,
    file_name="takes-{:%Y-%m-%d}.csv",
    content_type="text/csv; charset=utf-8",
    reason_with_file=True,
    max_rows=MAX_ROWS,
)
FACTS = FileFormat(
    title="Facts as CSV",
    screen="facts-csv",
    template="admin/facts_csv.html",
    command=facts_csv.COMMAND,
    history_note=facts_csv.HISTORY_NOTE,
    load=partial(facts_csv.load, max_rows=MAX_ROWS),
    dump=facts_csv.dump,
    file_name="facts-{:%Y-%m-%d}.csv",
    content_type="text/csv; charset=utf-8",
    max_rows=MAX_ROWS,
)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def catalogue(request: HttpRequest) -> HttpResponse:
    """The page to download the catalogue document and upload one."""
    return upload_views.file_page(request, CATALOGUE)


@require_http_methods(["GET", "HEAD", "POST"])
def load_catalogue(request: HttpRequest) -> HttpResponse:
    """Load the document that was previewed."""
    return upload_views.confirm(request, CATALOGUE)


@require_safe
def download_catalogue(request: HttpRequest) -> HttpResponseBase:
    """Download the catalogue document."""
    upload_views.publisher(request)
    return upload_views.download(CATALOGUE, timezone.now())


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def takes(request: HttpRequest) -> HttpResponse:
    """The page to download takes as CSV and upload them."""
    return upload_views.file_page(request, TAKES)


@require_http_methods(["GET", "HEAD", "POST"])
def load_takes(request: HttpRequest) -> HttpResponse:
    """Load the takes that were previewed."""
    return upload_views.confirm(request, TAKES)


@require_safe
def download_takes(request: HttpRequest) -> HttpResponseBase:
    """Download all takes as CSV."""
    upload_views.publisher(request)
    return upload_views.download(TAKES, timezone.now())


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def facts(request: HttpRequest) -> HttpResponse:
    """The page to download facts as CSV and upload them."""
    return upload_views.file_page(request, FACTS)


@require_http_methods(["GET", "HEAD", "POST"])
def load_facts(request: HttpRequest) -> HttpResponse:
    """Load the facts that were previewed."""
    return upload_views.confirm(request, FACTS)


@require_safe
def download_facts(request: HttpRequest) -> HttpResponseBase:
    """Download all facts as CSV."""
    upload_views.publisher(request)
    return upload_views.download(FACTS, timezone.now())
