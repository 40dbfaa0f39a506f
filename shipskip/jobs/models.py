"""The last runs of each periodic job."""

from datetime import datetime

from django.db import models


class JobRunQuerySet(models.QuerySet["JobRun"]):
    """Queries on the records of jobs."""

    def begin(self, job: str, now: datetime) -> None:
        """Store that a run of this job begins."""
        self.update_or_create(job=job, defaults={"started_at": now, "ended_at": None})

    def succeed(self, job: str, now: datetime, seconds: float) -> None:
        """Store that the run of this job ended well."""
        ended = {"ended_at": now, "succeeded_at": now, "seconds": seconds, "failure": ""}
        self.filter(job=job).update(**ended)

    def fail(self, job: str, now: datetime, failure: str) -> None:
        """Store why the run of this job failed."""
        self.filter(job=job).update(ended_at=now, failure=failure[:300])


class JobRun(models.Model):
    """The last run of a job, and its last success.

    `seconds` is how long the last success took. `failure` is empty after a success.
    """

    job = models.CharField(max_length=20, primary_key=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    succeeded_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)
    failure = models.CharField(max_length=300, blank=True)

    objects = JobRunQuerySet.as_manager()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.job}, {self.started_at:%Y-%m-%d %H:%M}"
