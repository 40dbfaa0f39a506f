"""Visitors' votes, their events and tallies, and what is counted by day and by network."""

from collections.abc import Collection
from datetime import UTC, date, datetime, time
from typing import Any, Self

from django.db import models
from django.db.models import Case, Count, F, Q, When
from django.db.models.functions import Cast, Sqrt, TruncDate
from django.db.models.lookups import GreaterThanOrEqual

from reviews.scoring import PERCENT_FROM, Z_95, Tally, percent
from tools.models import Tool


class VoteChoice(models.TextChoices):
    """A visitor's choice."""

    SHIP = "ship", "Ship"
    SKIP = "skip", "Skip"


class VoteState(models.TextChoices):
    """Whether a visitor's choice is in the tally."""

    COUNTED = "counted", "Counted"
    HELD = "held", "Held"
    VOID = "void", "Void"


class VoteQuerySet(models.QuerySet["Vote"]):
    """Votes."""

    def held(self) -> Self:
        """Votes that wait for review; two conditions, so that the partial index is used."""
        return self.filter(state=VoteState.HELD).exclude(state=VoteState.COUNTED)

    def for_chart(self, tool: Tool, since: date) -> dict[tuple[date, str], int]:
        """How many votes on a tool were cast on each day (UTC) from `since` on, by state."""
        start = datetime.combine(since, time(), UTC)
        rows = self.filter(tool=tool, cast_at__gte=start).order_by()
        days = rows.annotate(day=TruncDate("cast_at", tzinfo=UTC))
        found = days.values_list("day", "state").annotate(total=Count("pk"))
        return {(day, state): total for day, state, total in found}


def _group(related_name: str) -> "models.ForeignKey[Any, Any]":
    """A foreign key to the group of a held vote or event.

    Without a database constraint: adding one would block votes while all rows are checked.
    """
    return models.ForeignKey(
        "reviews.HeldGroup",
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name=related_name,
        db_constraint=False,
        db_index=False,
    )


class Vote(models.Model):
    """One visitor's vote on one tool. These rows are authoritative; tallies are derived from them.

    `visitor` is empty after the visitor used "Forget me": the vote stays, anonymous. `choice` is
    the visitor's own; it is empty if a withdrawal is held or void. While the vote is held or void,
    the tally contains `kept_choice` instead: the choice that last counted, or nothing. While the
    vote counts, `kept_choice` is empty.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="votes")
    visitor = models.UUIDField(null=True, editable=False)
    choice = models.CharField(max_length=4, choices=VoteChoice, blank=True)
    kept_choice = models.CharField(
        max_length=4, choices=VoteChoice, blank=True, default="", db_default=""
    )
    state = models.CharField(max_length=7, choices=VoteState, default=VoteState.COUNTED)
    group = _group("votes")
    reason = models.CharField(max_length=200, blank=True, help_text="Why it was released or voided")
    # Limits count events now; workers of the previous release still count this until they stop.
    network = models.CharField(max_length=32, blank=True, editable=False)
    cast_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = VoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tool", "visitor"], name="vote_once_per_visitor"),
            models.CheckConstraint(
                condition=Q(choice__in=["", *VoteChoice.values]), name="vote_choice_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=VoteState.values), name="vote_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["tool", "network"], name="vote_of_network"),
            models.Index(fields=["tool", "state", "choice"], name="vote_of_tally"),
            models.Index(fields=["visitor"], name="vote_of_visitor"),
            models.Index(fields=["group"], name="vote_of_group", condition=Q(group__isnull=False)),
            models.Index(
                fields=["cast_at"], name="vote_not_counted", condition=~Q(state="counted")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice or 'none'} on {self.tool}"

    @property
    def choice_in_tally(self) -> str:
        """The choice of this vote that the tally contains: `ship`, `skip`, or empty."""
        return self.choice if self.state == VoteState.COUNTED else self.kept_choice


class VoteEvent(models.Model):
    """An act of a visitor, from `before` to `after`, or a decision, which has a reason.

    Append-only, except that the hashes of the networks are erased after 48 hours.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="+")
    visitor = models.UUIDField(null=True, editable=False)
    before = models.CharField(max_length=4, blank=True)
    after = models.CharField(max_length=4, blank=True)
    state = models.CharField(max_length=7, choices=VoteState)
    group = _group("acts")
    reason = models.CharField(max_length=200, blank=True)
    network = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    wide_network = models.CharField(
        max_length=32, blank=True, default="", db_default="", editable=False
    )
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["visitor", "at"], name="event_of_visitor"),
            models.Index(fields=["tool", "at"], name="event_of_tool"),
            models.Index(
                fields=["wide_network", "state", "tool", "network"], name="event_of_network"
            ),
            models.Index(fields=["group"], name="event_of_group", condition=Q(group__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.before or 'none'} to {self.after or 'none'} on {self.tool_id}"


def _lower_bound() -> Case:
    """The lower bound of `scoring.wilson_bounds` in SQL, numerator and denominator multiplied by
    the number of votes; NULL below PERCENT_FROM votes, where no share is shown.
    """
    ship, skip = (Cast(name, models.FloatField()) for name in ("ship", "skip"))
    votes, z2 = ship + skip, Z_95 * Z_95
    spread = Z_95 * Sqrt(ship * skip / votes + z2 / 4)
    enough = GreaterThanOrEqual(F("ship") + F("skip"), PERCENT_FROM)
    return Case(When(enough, then=(ship + z2 / 2 - spread) / (votes + z2)))


class ToolTally(models.Model):
    """The counted votes on one tool, updated in the same transaction as the votes."""

    tool = models.OneToOneField(
        Tool, on_delete=models.CASCADE, primary_key=True, related_name="tally_row"
    )
    ship = models.PositiveIntegerField(default=0)
    skip = models.PositiveIntegerField(default=0)
    lower_bound = models.GeneratedField(
        expression=_lower_bound(), output_field=models.FloatField(null=True), db_persist=True
    )
    """The lower bound of the share's 95 % Wilson interval, from 0 to 1; empty below ten votes."""

    class Meta:
        verbose_name_plural = "tool tallies"

    def __str__(self) -> str:
        return f"{self.ship} ship / {self.skip} skip"

    @property
    def value(self) -> Tally:
        """The counts as a Tally."""
        return Tally(self.ship, self.skip)

    @staticmethod
    def lower_bounds() -> dict[int, float]:
        """The lower bound of each tool that has one, by its primary key; one query."""
        rows = ToolTally.objects.filter(lower_bound__isnull=False)
        return dict(rows.values_list("tool", "lower_bound"))

    @staticmethod
    def shares() -> dict[int, int]:
        """The community's share of each tool that has one, by its primary key; one query."""
        rows = ToolTally.objects.filter(lower_bound__isnull=False)
        votes = rows.values_list("tool", "ship", "skip")
        return {tool: percent(ship, ship + skip) for tool, ship, skip in votes}

    @staticmethod
    def tallies(tools: Collection[int]) -> dict[int, Tally]:
        """The tallies of those of these tools (primary keys) that have one; one query."""
        rows = ToolTally.objects.filter(tool__in=tools).values_list("tool", "ship", "skip")
        return {tool: Tally(ship, skip) for tool, ship, skip in rows}


class DailySalt(models.Model):
    """The random salt of one day's network hashes; without it they cannot be traced back."""

    day = models.DateField(primary_key=True)
    salt = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return f"{self.day}"


class VoteDay(models.Model):
    """Numbers of a finished day: acts that counted, acts that were held, and votes voided."""

    day = models.DateField(primary_key=True)
    counted = models.PositiveIntegerField()
    held = models.PositiveIntegerField()
    void = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.day}"


class NewVisitors(models.Model):
    """How many visitors of a network were new in an hour; deleted after 48 hours."""

    network = models.CharField(max_length=32)
    hour = models.DateTimeField()
    visitors = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["network", "hour"], name="new_visitors_once_per_hour")
        ]

    def __str__(self) -> str:
        return f"{self.visitors} at {self.hour}"
