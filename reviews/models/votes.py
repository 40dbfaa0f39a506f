"""Visitors' votes, their events and tallies, and what is counted by day and by network."""

from collections.abc import Collection
from datetime import UTC, date, datetime, time
from typing import Self

from django.conf import settings
from django.db import connection, models
from django.db.models import Case, Count, F, Q, When
from django.db.models.functions import Cast, Sqrt, TruncDate
from django.db.models.lookups import GreaterThanOrEqual

from reviews.scoring import PERCENT_FROM, Z_95, Tally, percent
from tools.models import Tool


class VoteChoice(models.TextChoices):
    """A visitor's choice."""

    SHIP = "ship", "Ship"
    SKIP = "skip", "Skip"


class VoteQuerySet(models.QuerySet["Vote"]):
    """Votes."""

    def counted(self) -> Self:
        """Votes that are in a tally."""
        return self.filter(voiding=None)

    def between(self, tool: Tool, since: datetime, until: datetime) -> Self:
        """Votes on a tool that were cast or last changed from `since` on and before `until`."""
        return self.filter(tool=tool, changed_at__gte=since, changed_at__lt=until)

    def for_chart(self, tool: Tool, since: date) -> dict[tuple[date, str], int]:
        """How many votes on a tool were cast on each day (UTC) from `since` on: `counted` and
        `void` ones.
        """
        start = datetime.combine(since, time(), UTC)
        rows = self.filter(tool=tool, cast_at__gte=start).order_by()
        days = rows.annotate(day=TruncDate("cast_at", tzinfo=UTC), void=Q(voiding__isnull=False))
        found = days.values_list("day", "void").annotate(total=Count("pk"))
        return {(day, "void" if void else "counted"): total for day, void, total in found}


class Voiding(models.Model):
    """Votes on one tool that an editor voided together; part of the public record.

    `since` and `until` are the moments between which they were cast or last changed; empty where
    the editor chose single votes. `votes` is how many were voided, whether or not it was undone.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="voidings")
    since = models.DateTimeField("from", null=True, blank=True)
    until = models.DateTimeField("before", null=True, blank=True)
    reason = models.CharField(max_length=200)
    is_listed = models.BooleanField(default=True, editable=False)
    """Whether readers see it: not what was decided while reasons were only for editors."""
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    voided_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    votes = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        verbose_name = verbose_name_plural = "voided votes"

    def __str__(self) -> str:
        return f"Votes on {self.tool}"


class Vote(models.Model):
    """One visitor's vote on one tool. These rows are authoritative; tallies are derived from them.

    `visitor` is empty after the visitor used "Forget me": the vote stays, anonymous. `voiding` is
    set while the vote is void; then it is in no tally, and its visitor cannot change it.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="votes")
    visitor = models.UUIDField(null=True, editable=False)
    choice = models.CharField(max_length=4, choices=VoteChoice)
    # Without a database constraint: adding one would block votes while all rows are checked.
    voiding = models.ForeignKey(
        Voiding,
        null=True,
        editable=False,
        on_delete=models.RESTRICT,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    cast_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = VoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tool", "visitor"], name="vote_once_per_visitor"),
            models.CheckConstraint(
                condition=Q(choice__in=VoteChoice.values), name="vote_choice_known"
            ),
        ]
        indexes = [
            models.Index(fields=["tool", "voiding", "choice"], name="vote_in_tally"),
            models.Index(fields=["visitor"], name="vote_of_visitor"),
            models.Index(
                fields=["voiding"], name="vote_of_voiding", condition=Q(voiding__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice} on {self.tool}"


class VoteEvent(models.Model):
    """An act of a visitor that counted, from `before` to `after`.

    Append-only, except that the hashes of the networks are erased after 48 hours. Earlier releases
    also stored acts that did not count, and decisions of editors: those have a `reason`.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="+")
    visitor = models.UUIDField(null=True, editable=False)
    before = models.CharField(max_length=4, blank=True)
    after = models.CharField(max_length=4, blank=True)
    reason = models.CharField(max_length=210, blank=True)
    network = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    wide_network = models.CharField(
        max_length=32, blank=True, default="", db_default="", editable=False
    )
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["visitor", "at"], name="event_of_visitor"),
            models.Index(fields=["tool", "at"], name="event_of_tool"),
            models.Index(fields=["wide_network", "tool", "network"], name="event_of_wide_network"),
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
        """The tallies of those of these tools (primary keys) that have one; one query.

        Most pages ask nothing else of the database. It is written in SQL, because Django takes
        0.3 ms to compile it: a fifteenth of a comparison.
        """
        table, marks = ToolTally._meta.db_table, ", ".join(["%s"] * len(tools))
        query = f"SELECT tool_id, ship, skip FROM {table} WHERE tool_id IN ({marks})"  # noqa: S608
        with connection.cursor() as cursor:
            cursor.execute(query, list(tools))
            return {tool: Tally(ship, skip) for tool, ship, skip in cursor.fetchall()}
