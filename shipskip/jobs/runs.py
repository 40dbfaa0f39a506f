"""One run of a job: under its lock, recorded, and reported if it fails."""

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType

from django.core.management.base import CommandError
from django.db import Error as DatabaseFault
from django.utils import timezone

from shipskip.jobs import outages
from shipskip.jobs.lock import job_lock
from shipskip.jobs.models import JobRun
from shipskip.jobs.timetable import Job

log = logging.getLogger(__name__)


class StoppedError(CommandError):
    """SIGTERM: systemd's time limit, or an operator."""


@contextmanager
def run(job: Job) -> Iterator[Callable[[], None] | None]:
    """Run the job: None if another process runs it, which is no fault and not recorded. Otherwise
    the lock's check (`job_lock`).
    """
    with job_lock(job) as check_lock:
        if check_lock is None:
            yield None
        else:
            with recorded(job):
                yield check_lock


@contextmanager
def recorded(job: Job) -> Iterator[None]:
    """Store when the job ran and how it ended. The first failure in a row is an error in the log,
    and so at Sentry; an unexpected one is raised as CommandError.
    """
    begin = monotonic()
    try:
        JobRun.objects.begin(job.name, timezone.now())
        with _stopped_by_sigterm():
            yield
        JobRun.objects.succeed(job.name, timezone.now(), monotonic() - begin)
    except Exception as error:
        expected = isinstance(error, CommandError)
        failure = str(error) if expected else type(error).__name__
        report(job, failure, None if expected else error)
        with suppress(DatabaseFault):
            JobRun.objects.fail(job.name, timezone.now(), failure)
        if expected or isinstance(error, DatabaseFault):
            raise  # manage.py has a sentence for what the database reports
        raise CommandError(f"{failure}: {error}") from error
    outages.ends(job.name)


def report(job: Job, failure: str, error: Exception | None) -> None:
    """Log the failure; its text has the job's name, by which Sentry groups its events."""
    level = logging.ERROR if outages.begins(job.name) else logging.WARNING
    log.log(level, f"The job {job.name} failed: %s", failure, exc_info=error)


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let systemd's time limit end the job as a failure with a reason."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise StoppedError("it was stopped, perhaps by the time limit of its unit")

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread: only that one gets signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
