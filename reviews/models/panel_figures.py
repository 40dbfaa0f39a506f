"""The panel's figures for each tool, denormalised so that lists can sort by them."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Sum

from tools.models import Tool


class PanelVerdict(models.TextChoices):
    """The panel's verdict on a tool: `scoring.Verdict`."""

    SHIP = "ship", "Ship"
    SKIP = "skip", "Skip"
    SPLIT = "split", "Split"
    NONE = "none", "No verdict yet"


class PanelFiguresQuerySet(models.QuerySet["PanelFigures"]):
    """Figures of tools."""

    def on_public_tools(self, now: datetime) -> Self:
        """Figures of tools that are public at `now`."""
        return self.filter(tool__published_at__lte=now, tool__category__published_at__lte=now)

    def totals(self) -> dict[str, int]:
        """`total`, `ship` and `points` (the sum of scores) of all takes, in one query."""
        total, ship = Sum(F("ship") + F("skip")), Sum("ship")
        found = self.order_by().aggregate(total=total, ship=ship, points=Sum("points"))
        return {key: value or 0 for key, value in found.items()}


class PanelFigures(models.Model):
    """The counts of the public takes on one tool; `reviews.figures` keeps them up to date.

    Every tool has this row: a database trigger adds it with the tool.
    """

    tool = models.OneToOneField(
        Tool, on_delete=models.CASCADE, primary_key=True, related_name="figures"
    )
    ship = models.PositiveSmallIntegerField(default=0)
    skip = models.PositiveSmallIntegerField(default=0)
    points = models.PositiveIntegerField(default=0)
    """The sum of the scores."""
    mean = models.FloatField(null=True)
    """The mean of the scores, not rounded; empty without takes."""
    verdict = models.CharField(max_length=5, choices=PanelVerdict, default=PanelVerdict.NONE)
    judged_at = models.DateTimeField(null=True)
    """When the newest public take was published."""
    due_at = models.DateTimeField(null=True, db_index=True)
    """The next moment at which a scheduled take, or a scheduled reviewer of one, counts."""

    objects = PanelFiguresQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        verbose_name_plural = "panel figures"
        indexes = [
            models.Index(fields=["-mean"], name="figures_by_mean"),
            models.Index(fields=["-judged_at"], name="figures_by_judged_at"),
        ]

    def __str__(self) -> str:
        moments = f"judged {_day(self.judged_at)}, due {_day(self.due_at)}"
        mean = "no mean" if self.mean is None else f"mean {self.mean:.2f}"
        return (
            f"{self.ship} ship / {self.skip} skip, {self.points} points, {mean}, {self.verdict}, "
            f"{moments}"
        )


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "never"


class PanelMark(models.Model):
    """A tool whose takes were written since they were counted; database triggers add these."""

    tool_id = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.tool_id}"
