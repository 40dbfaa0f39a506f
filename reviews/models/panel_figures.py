"""What the panel says of each tool in numbers, stored so that lists can sort by it."""

from django.db import models

from tools.models import Tool


class PanelVerdict(models.TextChoices):
    """The panel's verdict on a tool: `scoring.Verdict`."""

    SHIP = "ship", "Ship"
    SKIP = "skip", "Skip"
    SPLIT = "split", "Split"
    NONE = "none", "No verdict yet"


class PanelFigures(models.Model):
    """The public takes on one tool, counted. `reviews.figures` keeps it equal to them.

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

    class Meta:
        default_permissions = ()
        verbose_name_plural = "panel figures"
        indexes = [
            models.Index(fields=["-mean"], name="figures_by_mean"),
            models.Index(fields=["-judged_at"], name="figures_by_judged_at"),
        ]

    def __str__(self) -> str:
        return f"{self.ship} ship / {self.skip} skip, {self.points} points, {self.verdict}"


class PanelMark(models.Model):
    """A tool whose takes were written since they were counted; database triggers add these."""

    tool_id = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.tool_id}"
