"""Metrics for Prometheus at `/metrics`, behind METRICS_TOKEN; summed over the worker processes.

The workers of a server write their counts to files (METRICS_DIR), so that each of them can return
the sums of all.
"""

import logging
from secrets import compare_digest
from time import monotonic, time

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from reviews.models import ToolTally, Vote
from shipskip.operations.backups import archive
from shipskip.operations.observability.metrics_files import AllWorkers
from shipskip.page_cache import response_counts

log = logging.getLogger(__name__)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
disable_created_metrics()  # type: ignore[no-untyped-call]
WORKER_REGISTRY = CollectorRegistry()
"""The metrics of this process."""

REQUESTS = Counter(
    "shipskip_requests_total",
    "Responses of Django (the page cache's are in shipskip_memory_total).",
    ["method", "view", "status"],
    registry=WORKER_REGISTRY,
)
SECONDS = Histogram(
    "shipskip_request_seconds",
    "How long Django took to answer.",
    ["view"],
    buckets=BUCKETS,
    registry=WORKER_REGISTRY,
)


def count_response(method: str, view: str, status: int, seconds: float) -> None:
    """Count one response of Django."""
    verb = method if method in METHODS else "other"
    REQUESTS.labels(verb, view, status).inc()
    SECONDS.labels(view).observe(seconds)


class PageCacheCounts(Collector):
    """The page cache's own counts: it answers before Django's other middleware runs."""

    def collect(self) -> list[CounterMetricFamily]:
        """The responses of the page cache by outcome."""
        about = "Responses of the page cache by outcome."
        found = CounterMetricFamily("shipskip_memory", about, labels=["outcome"])
        for outcome, number in list(response_counts.items()):
            found.add_metric([outcome], number)
        return [found]


WORKER_REGISTRY.register(PageCacheCounts())
ALL_WORKERS = AllWorkers(WORKER_REGISTRY)


class DatabaseCounts(Collector):
    """Votes and mails by state, queried at most once a minute per process."""

    def __init__(self) -> None:
        self.gauges: list[GaugeMetricFamily] = []
        self.fresh_until = 0.0

    def collect(self) -> list[GaugeMetricFamily]:
        """The gauges of votes, mails and the database; only the last while it does not answer."""
        if monotonic() >= self.fresh_until:
            try:
                self.gauges = [votes(), mails(), _database(up=True)]
                self.fresh_until = monotonic() + 60
            except (DatabaseError, InterfaceError):
                log.exception("No metrics of votes and mails: the database did not answer.")
                return [_database(up=False)]
        return self.gauges


def _database(*, up: bool) -> GaugeMetricFamily:
    return GaugeMetricFamily("shipskip_database_up", "Whether the database answered.", int(up))


def votes() -> GaugeMetricFamily:
    """The number of votes that count, which is the sum of the tallies, and of void ones."""
    gauge = GaugeMetricFamily("shipskip_votes", "Votes by state.", labels=["state"])
    sums = ToolTally.objects.aggregate(ship=Sum("ship", default=0), skip=Sum("skip", default=0))
    gauge.add_metric(["counted"], sums["ship"] + sums["skip"])
    gauge.add_metric(["void"], Vote.objects.filter(voiding__isnull=False).count())
    return gauge


def mails() -> GaugeMetricFamily:
    """The number of mails of issues in each state."""
    gauge = GaugeMetricFamily("shipskip_mails", "Mails of issues by state.", labels=["state"])
    delivery = apps.get_model("newsletter", "Delivery")
    states = delivery.objects.order_by().values_list("state").annotate(total=Count("pk"))
    for state, total in sorted(states):
        gauge.add_metric([state], total)
    return gauge


class BackupAge(Collector):
    """How old the newest backup on this machine is; nothing where there is none."""

    def collect(self) -> list[GaugeMetricFamily]:
        """The age in seconds."""
        backups = archive.all_in(settings.BACKUP_DIR)
        if not backups:
            return []
        about = "Seconds since the newest backup on this machine was made."
        age = max(0.0, time() - backups[-1].stat().st_mtime)
        return [GaugeMetricFamily("shipskip_backup_age_seconds", about, age)]


ROW_COUNTS, BACKUP_AGE = DatabaseCounts(), BackupAge()


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's text format, for clients with METRICS_TOKEN as bearer token.

    404 when METRICS_TOKEN is not set, 401 when the client's token is missing or wrong.
    """
    if not settings.METRICS_TOKEN:
        raise Http404("Metrics are off: METRICS_TOKEN is not set.")
    sent = request.headers.get("Authorization", "")
    if not compare_digest(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        message = "Send METRICS_TOKEN as a bearer token.\n"
        return HttpResponse(
            message, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"}
        )
    registry = CollectorRegistry()
    registry.register(ALL_WORKERS)
    registry.register(ROW_COUNTS)
    registry.register(BACKUP_AGE)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
