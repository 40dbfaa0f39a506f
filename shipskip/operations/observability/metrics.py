"""Metrics for Prometheus at `/metrics`, behind METRICS_TOKEN; summed over the worker processes.

The workers of a server share their counts in a folder, so that each of them can return the sums of
all (metrics_folder.py).
"""

import logging
import os
import shutil
from secrets import compare_digest
from time import monotonic, time

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from psycopg_pool import ConnectionPool

from reviews.models import ToolTally, Vote
from shipskip.jobs import timetable
from shipskip.newsletter.subscribers import confirmations
from shipskip.operations.backups import archive
from shipskip.operations.observability import metrics_folder
from shipskip.page_cache import RESPONSES

log = logging.getLogger(__name__)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
disable_created_metrics()  # type: ignore[no-untyped-call]
WORKER_REGISTRY = CollectorRegistry()
"""The metrics of this process."""
WORKER_REGISTRY.register(RESPONSES)

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
WAITING = Gauge(
    "shipskip_pool_waiting",
    "Requests that wait for a connection to PostgreSQL, at the last response of each worker.",
    multiprocess_mode="livesum",
    registry=WORKER_REGISTRY,
)


def count_response(method: str, view: str, status: int, seconds: float) -> None:
    """Count one response of Django."""
    pool = getattr(connection, "pool", None)
    if isinstance(pool, ConnectionPool):
        WAITING.set(pool.get_stats().get("requests_waiting", 0))
    verb = method if method in METHODS else "other"
    REQUESTS.labels(verb, view, status).inc()
    SECONDS.labels(view).observe(seconds)


def of_all_workers() -> CollectorRegistry:
    """The metrics of all workers of this server, or of this process where it shares none."""
    folder = os.environ.get(metrics_folder.VARIABLE)
    if not folder:
        return WORKER_REGISTRY
    for worker in metrics_folder.dead_workers(folder):
        multiprocess.mark_process_dead(worker)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


class DatabaseCounts(Collector):
    """Whether the database answers, asked each time; votes, mails and jobs, queried at most once a
    minute per process.
    """

    def __init__(self) -> None:
        self.gauges: list[GaugeMetricFamily] = []
        self.fresh_until = 0.0

    def collect(self) -> list[GaugeMetricFamily]:
        """The gauges; only that of the database while it does not answer."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if monotonic() >= self.fresh_until:
                self.gauges = [votes(), mails(), confirmation_mails(), *jobs()]
                self.fresh_until = monotonic() + 60
        except (DatabaseError, InterfaceError) as error:
            self.fresh_until = 0.0
            log.warning("No metrics of votes and mails: the database did not answer (%s).", error)
            return [_database(up=False)]
        return [_database(up=True), *self.gauges]


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


def confirmation_mails() -> GaugeMetricFamily:
    """The number of confirmation mails that no mail server has accepted."""
    about = "Confirmation mails that were not sent: waiting, or given up after two days."
    gauge = GaugeMetricFamily("shipskip_confirmation_mails", about, labels=["state"])
    for state, number in confirmations.unsent_counts(timezone.now()).items():
        gauge.add_metric([state.replace(" ", "_")], number)
    return gauge


def jobs() -> list[GaugeMetricFamily]:
    """When each periodic job last succeeded, how long that took, and whether it failed or is late;
    a job without a run or a success has no value.
    """
    prefix, labels = "shipskip_job", ["job"]
    about = "When the job last succeeded, in seconds since 1970."
    success = GaugeMetricFamily(f"{prefix}_last_success_timestamp_seconds", about, labels=labels)
    about = "How long the last success of the job took."
    length = GaugeMetricFamily(f"{prefix}_last_success_duration_seconds", about, labels=labels)
    failed = GaugeMetricFamily(f"{prefix}_failed", "Whether the last run failed.", labels=labels)
    about = "Whether the last success of the job is too old."
    late = GaugeMetricFamily(f"{prefix}_late", about, labels=labels)
    for state in timetable.states(timezone.now()):
        if state.run and state.run.succeeded_at:
            success.add_metric([state.job.name], state.run.succeeded_at.timestamp())
            length.add_metric([state.job.name], state.run.seconds or 0)
        if state.run:
            failed.add_metric([state.job.name], bool(state.failure))
            late.add_metric([state.job.name], state.is_late)
    return [success, length, failed, late]


class Disk(Collector):
    """The room on the disk of the data."""

    def collect(self) -> list[GaugeMetricFamily]:
        """The free and the whole room in bytes."""
        usage = shutil.disk_usage(settings.VAR_DIR)
        free = GaugeMetricFamily("shipskip_disk_free_bytes", "Free room for data.", usage.free)
        whole = GaugeMetricFamily("shipskip_disk_size_bytes", "All room for data.", usage.total)
        return [free, whole]


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


ROW_COUNTS = DatabaseCounts()
SITE_REGISTRY = CollectorRegistry()
"""What every worker finds the same."""
for collector in (ROW_COUNTS, BackupAge(), Disk()):
    SITE_REGISTRY.register(collector)


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
    text = generate_latest(of_all_workers()) + generate_latest(SITE_REGISTRY)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
