"""Periodic jobs: one run at a time, recorded, and seen by operators when one fails or is late."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from io import StringIO
from time import monotonic

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from shipskip.jobs import outages, runs, timetable
from shipskip.jobs.lock import job_lock
from shipskip.jobs.models import JobRun
from shipskip.jobs.timetable import JOBS, NEWSLETTER, NIGHTLY, RESTORE_CHECK, WORK
from shipskip.operations.management.commands.nightly import is_restore_check_due
from tests.operations.sites import temporary_site

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def var_dir(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    settings.BACKUP_DIR = settings.VAR_DIR / "backups"
    settings.VAR_DIR.mkdir()


def output(command: str) -> str:
    out = StringIO()
    call_command(command, stdout=out)
    return out.getvalue()


def said_by_all_jobs() -> str:
    """What the commands of the jobs print, with a connection of their own."""
    out = StringIO()
    try:
        for job in ("newsletter", "work", "nightly"):
            call_command(job, stdout=out)
    finally:
        connection.close()
    return out.getvalue()


@pytest.mark.both_databases
def test_while_a_job_runs_a_second_run_does_nothing_and_is_no_fault(tmp_path, settings):
    """To the locks, a thread with its own connection and files is another process."""
    with (
        temporary_site(tmp_path, full=False) as site,
        site.use(),
        ExitStack() as locks,
        ThreadPoolExecutor(1) as pool,
    ):
        for job in (NEWSLETTER, WORK, NIGHTLY):
            assert locks.enter_context(job_lock(job))
        assert pool.submit(said_by_all_jobs).result().count("this one leaves") == 3
        assert not JobRun.objects.exists()
        assert not settings.BACKUP_DIR.exists()


def test_a_failed_run_is_an_error_once_and_again_after_a_success(caplog):
    def fail(error: Exception) -> JobRun:
        with pytest.raises(CommandError), runs.run(WORK):
            raise error
        return JobRun.objects.get(job="work")

    fail(CommandError("no room"))
    run = fail(CommandError("no room"))
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]
    assert "The job work failed: no room" in caplog.text
    assert (run.failure, run.succeeded_at) == ("no room", None)
    begin = monotonic()
    output("work")
    longest = monotonic() - begin
    run.refresh_from_db()
    assert run.failure == ""
    assert run.succeeded_at
    assert run.started_at <= run.succeeded_at == run.ended_at
    assert run.seconds
    assert (run.ended_at - run.started_at).total_seconds() <= run.seconds <= longest
    assert fail(KeyError("a name")).failure == "KeyError"
    assert caplog.records[-1].levelno == logging.ERROR
    assert caplog.records[-1].exc_info, "unexpected: with its traceback"


def test_an_outage_is_reported_again_when_it_was_quiet_in_between(settings):
    assert outages.begins("one")
    assert not outages.begins("one")
    assert outages.begins("one", quiet_seconds=0)
    outages.ends("one")
    assert outages.begins("one")


def test_a_job_is_late_when_its_last_success_is_too_old():
    JobRun.objects.begin("nightly", NOW - timedelta(days=3))
    JobRun.objects.succeed("nightly", NOW - timedelta(hours=27), 2.5)
    JobRun.objects.begin("work", NOW - timedelta(minutes=1))
    found = {state.job.name: state for state in timetable.states(NOW)}
    assert list(found) == [job.name for job in JOBS]
    assert [name for name, state in found.items() if state.is_late] == ["nightly"]
    assert found["nightly"].problem == (
        "The job nightly is late: it should run every night at 02:30 UTC."
    )
    assert found["newsletter"].problem == ""


def test_the_restore_is_checked_once_a_month():
    assert is_restore_check_due(NOW)
    JobRun.objects.begin(RESTORE_CHECK.name, NOW)
    JobRun.objects.succeed(RESTORE_CHECK.name, NOW, 1)
    assert not is_restore_check_due(NOW + timedelta(days=15))
    assert is_restore_check_due(NOW + timedelta(days=16))


@pytest.mark.both_databases
def test_the_nightly_run_makes_a_backup_and_proves_it(tmp_path, settings):
    with temporary_site(tmp_path, full=False) as site:
        text = site.manage("nightly")
        with site.use():
            done = set(JobRun.objects.exclude(succeeded_at=None).values_list("job", flat=True))
    assert done == {"nightly", "restore_check", "sources"}
    assert "can be restored" in text
    assert "Every tally agrees" in text
    assert len(list(settings.BACKUP_DIR.glob("*.zip"))) == 1


def test_a_step_of_the_night_that_fails_keeps_no_other_from_running(tmp_path, settings):
    (tmp_path / "file").touch()
    settings.BACKUP_DIR = tmp_path / "file/backups"
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("nightly", stdout=out)
    assert "Not a directory" in str(error.value)
    assert "There is no backup in" in str(error.value)
    assert "Every tally agrees" in out.getvalue()
    failures = dict(JobRun.objects.values_list("job", "failure"))
    assert failures.pop("sources") == ""
    assert failures.keys() == {"nightly", "restore_check"}
    assert all(failures.values())
