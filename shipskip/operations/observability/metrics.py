"""Metrics for Prometheus at `/metrics`, behind METRICS_TOKEN; summed over the worker processes.

The workers of a server share their counts in files of a folder in memory (deploy/serve), so that
each of them can return the sums of all: prometheus_client's multi-process mode.
"""

import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
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
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return WORKER_REGISTRY
    for file in Path(folder).glob("gauge_live*_*.db"):
        worker = file.stem.rpartition("_")[2]
        if not Path("/proc", worker).exists():
            multiprocess.mark_process_dead(int(worker))  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def gauge(name: str, about: str, by_label: Mapping[str, float], label: str) -> GaugeMetricFamily:
    """A gauge with a value for each of a label's values."""
    family = GaugeMetricFamily(f"shipskip_{name}", about, labels=[label])
    for text, value in by_label.items():
        family.add_metric([text], value)
    return family


class SiteMetrics(Collector):
    """What every worker finds the same: the disk, the newest backup, whether the database answers;
    votes, mails and jobs, queried at most once a minute per process.
    """

    def __init__(self) -> None:
        self.from_rows: list[GaugeMetricFamily] = []
        self.fresh_until = 0.0

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The gauges; none of rows while the database does not answer."""
        usage = shutil.disk_usage(settings.VAR_DIR)
        yield GaugeMetricFamily("shipskip_disk_free_bytes", "Free room for data.", usage.free)
        yield GaugeMetricFamily("shipskip_disk_size_bytes", "All room for data.", usage.total)
        if backups := archive.all_in(settings.BACKUP_DIR):
            about = "Seconds since the newest backup on this machine was made."
            age = max(0.0, time() - backups[-1].stat().st_mtime)
            yield GaugeMetricFamily("shipskip_backup_age_seconds", about, age)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if monotonic() >= self.fresh_until:
                self.from_rows = list(counted_rows(timezone.now()))
                self.fresh_until = monotonic() + 60
            is_up, families = True, self.from_rows
        except (DatabaseError, InterfaceError) as error:
            self.fresh_until = 0.0
            log.warning("No metrics of votes and mails: the database did not answer (%s).", error)
            is_up, families = False, []
        yield GaugeMetricFamily("shipskip_database_up", "Whether the database answered.", is_up)
        yield from families


def counted_rows(now: datetime) -> Iterator[GaugeMetricFamily]:
    """Votes and mails by state, and the state of jobs; a job without a run or a success has no
    value.
    """
    sums = ToolTally.objects.aggregate(ship=Sum("ship", default=0), skip=Sum("skip", default=0))
    void = Vote.objects.filter(voiding__isnull=False).count()
    votes = {"counted": sums["ship"] + sums["skip"], "void": void}
    yield gauge("votes", "Votes by state; those that count are in the tallies.", votes, "state")
    deliveries = apps.get_model("newsletter", "Delivery").objects.order_by()
    mails = dict(deliveries.values_list("state").annotate(total=Count("pk")))
    yield gauge("mails", "Mails of issues by state.", mails, "state")
    unsent = confirmations.unsent_counts(now).items()
    about = "Confirmation mails that were not sent: waiting, or given up after two days."
    by_state = {state.replace(" ", "_"): number for state, number in unsent}
    yield gauge("confirmation_mails", about, by_state, "state")
    ran = [(state, state.run) for state in timetable.states(now) if state.run]
    done = [(state.job.name, run) for state, run in ran if run.succeeded_at]
    about = "When the job last succeeded, in seconds since 1970."
    times = {name: run.succeeded_at.timestamp() for name, run in done if run.succeeded_at}
    yield gauge("job_last_success_timestamp_seconds", about, times, "job")
    about, lengths = (
        "How long the last success took.",
        {name: run.seconds or 0 for name, run in done},
    )
    yield gauge("job_last_success_duration_seconds", about, lengths, "job")
    failed = {state.job.name: float(bool(state.failure)) for state, _ in ran}
    yield gauge("job_failed", "Whether the last run of the job failed.", failed, "job")
    late = {state.job.name: float(state.is_late) for state, _ in ran}
    yield gauge("job_late", "Whether the last success of the job is too old.", late, "job")


SITE_METRICS = SiteMetrics()
SITE_REGISTRY = CollectorRegistry()
SITE_REGISTRY.register(SITE_METRICS)


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
