"""The periodic jobs, when each is due, and which of them are late or failed.

Units of systemd, crontabs and documents name the same times; tests/deploy/test_jobs.py compares.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from shipskip.jobs.models import JobRun


@dataclass(frozen=True)
class Job:
    """A job that a timer starts by one command.

    `calendar` is systemd's OnCalendar, `cron` the same for a crontab; both are empty for the job
    that another one starts. It is late when its last success is older than `late_after`.
    """

    name: str
    calendar: str
    cron: str
    when: str
    late_after: timedelta
    lock_number: int
    """Of PostgreSQL's advisory lock; an arbitrary number."""

    @property
    def label(self) -> str:
        """Its name for people."""
        return self.name.replace("_", " ").capitalize()


NEWSLETTER = Job(
    "newsletter", "*:0/5", "*/5 * * * *", "every five minutes", timedelta(hours=6), 4_061_2800
)
"""Late only after hours, because it may send an issue to a hundred thousand addresses."""

WORK = Job(
    "work", "*:2/5", "2-59/5 * * * *", "every five minutes", timedelta(minutes=30), 4_061_2801
)
NIGHTLY = Job(
    "nightly",
    "*-*-* 02:30 UTC",
    "30 2 * * *",
    "every night at 02:30 UTC",
    timedelta(hours=26),
    4_061_2802,
)
RESTORE_CHECK = Job(
    "restore_check", "", "", "by the first nightly run of a month", timedelta(days=33), 4_061_2803
)
SOURCES = Job("sources", "", "", "by every nightly run", timedelta(days=3), 4_061_2804)
JOBS = (NEWSLETTER, WORK, NIGHTLY, RESTORE_CHECK, SOURCES)


@dataclass(frozen=True)
class JobState:
    """A job and what is known of its runs; `run` is None if it never ran."""

    job: Job
    run: JobRun | None
    now: datetime

    @property
    def is_late(self) -> bool:
        """Whether it ran before, and its last success is too old."""
        if not self.run:
            return False
        since = self.run.succeeded_at or self.run.started_at
        return self.now - since > self.job.late_after

    @property
    def failure(self) -> str:
        """Why its last run failed; empty if it did not."""
        return self.run.failure if self.run else ""

    @property
    def problem(self) -> str:
        """What an operator should know; empty if it runs as it should."""
        name = self.job.name
        if self.failure:
            return f"The job {name} failed: {self.failure}"
        if self.is_late:
            return f"The job {name} is late: it should run {self.job.when}."
        return ""


def states(now: datetime) -> list[JobState]:
    """The state of every job; one query."""
    runs = {run.job: run for run in JobRun.objects.all()}
    return [JobState(job, runs.get(job.name), now) for job in JOBS]
