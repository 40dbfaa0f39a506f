"""Metrics for Prometheus: protected by a token, correct, and summed over all workers."""

import re
import signal
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.utils import timezone

from shipskip.jobs.models import JobRun
from shipskip.operations.observability import metrics
from tests import addresses
from tests import factories as make
from tests.deploy.production_site import Program, get
from tests.free_port import free_port
from tests.management_commands import environment
from tests.reviews.voters import cast, void

pytestmark = pytest.mark.django_db
TOKEN = "a-long-enough-token"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def token(settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    metrics.SITE_METRICS.fresh_until = 0


def sample_sum(text: str, name: str, **labels: str) -> float:
    """The sum of the samples with this name and these labels."""
    found = 0.0
    for line in text.splitlines():
        sample = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if sample and sample[1] == name:
            sample_labels = dict(re.findall(r'(\w+)="([^"]*)"', sample[2] or ""))
            if labels.items() <= sample_labels.items():
                found += float(sample[3])
    return found


def metrics_text(client) -> str:
    response = client.get("/metrics", headers=BEARER)
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def test_without_their_token_there_are_no_metrics(client, settings):
    for sent in ("", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer é"):
        response = client.get("/metrics", headers={"Authorization": sent})
        assert response.status_code == 401, sent
        assert response["WWW-Authenticate"] == "Bearer"
        assert b"shipskip" not in response.content
    settings.METRICS_TOKEN = ""
    for headers in ({}, {"Authorization": "Bearer "}, BEARER):
        assert client.get("/metrics", headers=headers).status_code == 404


def test_requests_are_counted_and_timed_by_view_and_status(client):
    addresses.sample_site()
    before = metrics_text(client)
    for path in ("/tools/alpha/", "/tools/beta/", "/no/such/page/"):
        client.get(path)
    for word in ("BREW", "PROPFIND", "X" * 40):
        client.generic(word, f"/{word}/")
    after = metrics_text(client)
    assert "BREW" not in after, "what is unknown creates no label"
    assert "PROPFIND" not in after
    assert sample_sum(after, "shipskip_requests_total", method="other") >= 3

    def added(name: str, **labels: str) -> float:
        return sample_sum(after, name, **labels) - sample_sum(before, name, **labels)

    detail = {"method": "GET", "view": "tools:detail", "status": "200"}
    assert added("shipskip_requests_total", **detail) == 2
    assert added("shipskip_request_seconds_count", view="tools:detail") == 2
    assert added("shipskip_requests_total", view="none", status="404") >= 1


def test_votes_jobs_late_mails_and_the_disk_are_told_and_rows_counted_once_a_minute(
    client, django_assert_num_queries
):
    tool = make.tool()
    for choice in ("ship", "skip", "ship"):
        assert cast(tool, choice)
    void(tool.votes.filter(pk=tool.votes.earliest("pk").pk))
    now = timezone.now()
    JobRun.objects.begin("nightly", now - timedelta(days=2))
    JobRun.objects.succeed("nightly", now - timedelta(days=2), 2.5)
    JobRun.objects.begin("work", now)
    JobRun.objects.fail("work", now, "no mail server")
    make.confirmation(asked_at=now - timedelta(hours=1))
    text = metrics_text(client)
    for name, labels, expected in (
        ("votes", {"state": "counted"}, 2),
        ("votes", {"state": "void"}, 1),
        ("job_last_success_duration_seconds", {"job": "nightly"}, 2.5),
        ("job_last_success_timestamp_seconds", {"job": "nightly"}, now.timestamp() - 2 * 86_400),
        ("job_late", {"job": "nightly"}, 1),
        ("job_failed", {"job": "nightly"}, 0),
        ("job_late", {"job": "work"}, 0),
        ("job_failed", {"job": "work"}, 1),
        ("confirmation_mails", {"state": "waiting"}, 1),
    ):
        assert sample_sum(text, f"shipskip_{name}", **labels) == pytest.approx(expected), name
    free = sample_sum(text, "shipskip_disk_free_bytes")
    assert 0 < free <= sample_sum(text, "shipskip_disk_size_bytes")
    with django_assert_num_queries(1):  # whether the database answers
        metrics_text(client)


def test_metrics_work_without_the_database(client, monkeypatch):
    def raise_operational_error(*args, **kwargs):
        raise OperationalError("gone")

    for target in (
        "django.db.models.sql.compiler.SQLCompiler.execute_sql",
        "django.db.backends.utils.CursorWrapper.execute",  # within the minute of other numbers
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, raise_operational_error)
            text = metrics_text(client)
        assert sample_sum(text, "shipskip_database_up") == 0
        assert "shipskip_votes" not in text
        assert "shipskip_database_up 1.0" in metrics_text(client)


def test_answers_of_the_page_cache_are_counted(client, page_cache):
    make.tool(slug="alpha")
    before = metrics_text(client)
    for _ in range(3):
        client.get("/tools/alpha/")
    after = metrics_text(client)
    name = "shipskip_memory_total"
    assert sample_sum(after, name, outcome="hit") == sample_sum(before, name, outcome="hit") + 2


SERVER = """
import sys
from wsgiref.simple_server import make_server
from shipskip.wsgi import application
from django.urls import get_resolver
from shipskip.operations.observability.metrics import count_response

def names(resolver, space=""):
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            yield from names(pattern, f"{space}{pattern.namespace or ''}:")
        elif pattern.name:
            yield space + pattern.name

port, *busy = sys.argv[1:]
for view in ("none", "static", *names(get_resolver())) if busy else ():
    for method in ("GET", "DELETE"):
        for status in range(201, 207):
            count_response(method, view, status, 0.1)
make_server("127.0.0.1", int(port), application).serve_forever()
"""
"""A worker; a busy one has counted requests of every view before."""


def test_a_worker_shows_the_metrics_of_all_and_of_those_that_ended(tmp_path: Path):
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}") | {
        "METRICS_TOKEN": TOKEN,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
        "DJANGO_SETTINGS_MODULE": "tests.bench.uncached",
    }
    (tmp_path / "metrics").mkdir()
    first, second = free_port(), free_port()

    def worker(port: int, *busy: str) -> Program:
        return Program([sys.executable, "-c", SERVER, str(port), *busy], tmp_path, env)

    def measured(port: int) -> str:
        return get(port, "/metrics", **BEARER).body.decode()

    with worker(first) as ended, worker(second, "busy") as other:
        for process, port, times in ((ended, first, 3), (other, second, 4)):
            process.wait_for_answer(port)
            for _ in range(times):
                get(port, "/robots.txt")
        robots = {"view": "robots", "method": "GET", "status": "200"}
        for port in (first, second):
            text = measured(port)
            assert sample_sum(text, "shipskip_requests_total", **robots) == 7
            assert sample_sum(text, "shipskip_request_seconds_count", view="robots") == 7 + 12
            assert text.count("\nshipskip_pool_waiting ") == 1
        ended.stop(signal.SIGKILL)
        text = measured(second)
        assert sample_sum(text, "shipskip_requests_total", **robots) == 7
        gauges = list((tmp_path / "metrics").glob("gauge_*"))
        assert len(gauges) == 1, "those of the dead are removed"
