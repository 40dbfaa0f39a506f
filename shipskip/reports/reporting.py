"""Taking a report: one limit by network and day, and the same report sent twice is one."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from shipskip.limits.act_limits import DAY, ActLimit
from shipskip.limits.daily_hashes import hash_of_day
from shipskip.reports.models import Report

REPORTS = ActLimit(
    "reports",
    DAY,
    "REPORTS_PER_NETWORK_PER_DAY",
    "Your network has used up its {most} reports of a day, which everybody on it shares. Your text"
    " is still in the form: you can send it after midnight UTC, in {wait}.",
)


@dataclass(frozen=True)
class Told:
    """What a reporter wrote, and what it is about; the fields are those of a Report."""

    text: str
    source: str = ""
    address: str = ""
    tool_id: int | None = None
    about: str = ""
    subject: str = ""


def take_report(told: Told, network: str, now: datetime) -> Report:
    """Store a report of what `network_of` returned; the same one again is the stored one.

    Raises RefusedError above the limit of the network.
    """
    key = hash_of_day(f"report {network}", now)
    with transaction.atomic():
        stored = Report.objects.undecided().filter(network=key, **vars(told)).first()
        if stored is None:
            REPORTS.admit(key, now)
            stored = Report.objects.create(network=key, reported_at=now, **vars(told))
        return stored
