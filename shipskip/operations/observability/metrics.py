"""Numbers for Prometheus at `/metrics`, behind METRICS_TOKEN; summed over the worker processes.

Each process writes its counts to files that all of one server share (METRICS_DIR), so that
whichever worker is asked answers for all.
"""

import logging
import os
from secrets import compare_digest
from threading import Lock
from time import monotonic

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from reviews.models import ToolTally, Vote, VoteState
from shipskip.page_cache import after_look_up, counts

log = logging.getLogger(__name__)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
REQUESTS = Counter(
    "shipskip_requests_total",
    "Answers that Django gave (those from memory are in shipskip_memory_total).",
    ["method", "view", "status"],
)
SECONDS = Histogram(
    "shipskip_request_seconds", "How long Django took to answer.", ["view"], buckets=BUCKETS
)
MEMORY = Counter("shipskip_memory_total", "What the page cache answered.", ["outcome"])
_lock = Lock()
_told: dict[str, int] = {}
"""How much of the page cache's counts of this process MEMORY has seen."""


def answered(method: str, view: str, status: int, seconds: float) -> None:
    """Count one answer of Django."""
    verb = method if method in METHODS else "other"
    REQUESTS.labels(verb, view, status).inc()
    SECONDS.labels(view).observe(seconds)


def _take_over() -> None:
    """Add what the page cache counted by itself: it answers before anything here runs."""
    with _lock:
        for outcome, number in list(counts.items()):
            told = _told.get(outcome, 0)
            MEMORY.labels(outcome).inc(number - (told if told <= number else 0))
            _told[outcome] = number


after_look_up.append(_take_over)


class Rows(Collector):
    """Votes and mails by state, from the database; asked at most once a minute a process."""

    def __init__(self) -> None:
        self.kept: list[GaugeMetricFamily] = []
        self.until = 0.0

    def collect(self) -> list[GaugeMetricFamily]:
        """The gauges, and whether the database answered; it alone while it does not."""
        if monotonic() >= self.until:
            try:
                self.kept = [votes(), mails(), _database(up=True)]
                self.until = monotonic() + 60
            except (DatabaseError, InterfaceError):
                log.exception("No numbers of votes and mails: the database did not answer.")
                return [_database(up=False)]
        return self.kept


def _database(*, up: bool) -> GaugeMetricFamily:
    return GaugeMetricFamily("shipskip_database_up", "Whether the database answered.", int(up))


def votes() -> GaugeMetricFamily:
    """How many votes there are in each state; the counted ones by their tallies."""
    gauge = GaugeMetricFamily("shipskip_votes", "Votes by state.", labels=["state"])
    sums = ToolTally.objects.aggregate(ship=Sum("ship", default=0), skip=Sum("skip", default=0))
    aside = Vote.objects.exclude(state=VoteState.COUNTED).order_by().values_list("state")
    found = dict(aside.annotate(total=Count("pk")))
    gauge.add_metric([VoteState.COUNTED.value], sums["ship"] + sums["skip"])
    for state in (VoteState.HELD, VoteState.VOID):
        gauge.add_metric([state.value], found.get(state.value, 0))
    return gauge


def mails() -> GaugeMetricFamily:
    """How many mails of issues there are in each state."""
    gauge = GaugeMetricFamily("shipskip_mails", "Mails of issues by state.", labels=["state"])
    delivery = apps.get_model("newsletter", "Delivery")
    states = delivery.objects.order_by().values_list("state").annotate(total=Count("pk"))
    for state, total in sorted(states):
        gauge.add_metric([state], total)
    return gauge


ROWS = Rows()


@require_safe
def numbers(request: HttpRequest) -> HttpResponse:
    """Everything in Prometheus's text format, for who brings METRICS_TOKEN as a bearer token.

    404 without a METRICS_TOKEN, 401 without the right one.
    """
    if not settings.METRICS_TOKEN:
        raise Http404("There are no numbers here: METRICS_TOKEN is not set.")
    sent = request.headers.get("Authorization", "")
    if not compare_digest(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        said = "Bring METRICS_TOKEN as a bearer token.\n"
        return HttpResponse(
            said, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"}
        )
    _take_over()
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REGISTRY)
    text = generate_latest(registry)
    registry = CollectorRegistry()
    registry.register(ROWS)
    return HttpResponse(text + generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
