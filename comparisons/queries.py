"""What a side-by-side page asks beside its tools, prepared once a process."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import BigIntegerField, DateTimeField

from comparisons.models import Comparison, ComparisonQuerySet
from reviews.models import Take, TakeQuerySet
from shipskip.web.prepared import prepared
from tools.models import Tool


def around(tools: Sequence[Tool], now: datetime) -> list[Comparison]:
    """Links to public comparisons that hold any of `tools`; the one of exactly these first."""
    return _around([tool.pk for tool in tools], now)


def takes_on(tools: Sequence[Tool], now: datetime) -> list[Take]:
    """The public takes on these tools with their reviewers' names, in panel order."""
    return _takes([tool.pk for tool in tools], now)


@prepared(BigIntegerField(), DateTimeField())
def _around(tools: list[int], now: datetime) -> ComparisonQuerySet:
    return Comparison.objects.around(tools, now)


@prepared(BigIntegerField(), DateTimeField())
def _takes(tools: list[int], now: datetime) -> TakeQuerySet:
    return Take.objects.for_scorecard(tools, now)
