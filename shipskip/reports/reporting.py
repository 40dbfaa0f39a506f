"""Taking a report: limits by network and day, and by how many reports wait."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from reviews.network_limits import WIDE_NETWORK_FACTOR
from shipskip.limits.act_limits import DAY, ActLimit
from shipskip.limits.daily_hashes import hashes_of_day
from shipskip.reports.models import Report
from shipskip.web.network import wide_network_of
from shipskip.web.refusals import RefusedError
from tools.models import Tool

_USED_UP = (
    "{} has used up its {{most}} reports of a day, which everybody on it shares. Your text is still"
    " in the form: you can send it after midnight UTC, in {{wait}}."
)
_PER_NETWORK = "REPORTS_PER_NETWORK_PER_DAY"
NEAR = ActLimit("reports", DAY, _PER_NETWORK, _USED_UP.format("Your network"))
WIDE = ActLimit(
    "reports, wide",
    DAY,
    _PER_NETWORK,
    _USED_UP.format("The wider network around yours"),
    factor=WIDE_NETWORK_FACTOR,
)
MAX_WAITING = 2_000
"""Undecided reports; further ones are refused, so that no flood of many networks fills the disk."""


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
    """Store a report of what `network_of` returned. Each has a secret page of its own: two readers
    of one network may send the same words.

    Raises RefusedError above a limit.
    """
    texts = [f"report {network}", f"report wide {wide_network_of(network)}"]
    near, wide = hashes_of_day(texts, now)
    with transaction.atomic():
        WIDE.admit(wide, now)
        NEAR.admit(near, now)
        if Report.objects.undecided().count() >= MAX_WAITING:
            sentence = (
                f"Nothing was changed. {MAX_WAITING:,} reports wait for our editors, and they take"
                " no more before some are decided. Try again tomorrow."
            )
            raise RefusedError(sentence, 429, int(DAY.total_seconds()))
        tool = Tool.objects.filter(pk=told.tool_id).first() if told.tool_id else None
        return Report.objects.create(
            network=near,
            reported_at=now,
            tool_name=tool.labelled_name if tool else "",
            **vars(told),
        )
