"""Groups of held votes, on which an editor decides."""

from datetime import UTC, datetime
from typing import Self
from uuid import uuid4

from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, TruncHour

from reviews.models.votes import Vote, VoteEvent, VoteState
from tools.models import Tool


class HeldGroupQuerySet(models.QuerySet["HeldGroup"]):
    """Groups of held votes."""

    def held(self) -> Self:
        """Groups that wait for a decision."""
        return self.filter(state=VoteState.HELD)

    def touch(self, group: "HeldGroup", now: datetime) -> None:
        """Record the time of an act of a group, and create the group if needed; one statement."""
        group.last_act_at = now
        self.bulk_create(
            [group],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=["last_act_at"],
        )

    def with_counts(self) -> Self:
        """With `held_votes`, those that are `ship` and `skip`, and those `changed` later."""
        return self.annotate(
            held_votes=_count(Q()),
            ship=_count(Q(choice="ship")),
            skip=_count(Q(choice="skip")),
            changed=_count(Q(changed_at__gt=F("cast_at"))),
        )


def _count(condition: Q) -> Coalesce:
    """The number of votes of each group for which a condition is true."""
    votes = Vote.objects.filter(condition, group=OuterRef("pk")).order_by().values("group")
    return Coalesce(Subquery(votes.annotate(total=Count("pk")).values("total")), 0)


class HeldGroup(models.Model):
    """The held votes of one network on one tool and day; kept longer than the network's hash.

    `network` is the hash by which votes find their group. It is erased after 48 hours and by a
    decision, so that a decided group gets no more votes.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="held_groups")
    day = models.DateField()
    network = models.CharField(max_length=32, null=True, editable=False)  # noqa: DJ001
    last_act_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=VoteState, default=VoteState.HELD)
    reason = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = HeldGroupQuerySet.as_manager()

    held_votes: int
    ship: int
    skip: int
    changed: int

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["tool", "network"], name="one_group_of_network"),
            models.CheckConstraint(
                condition=Q(state__in=VoteState.values), name="held_group_state_known"
            ),
        ]
        indexes = [models.Index(fields=["state", "day"], name="held_group_of_state")]

    def __str__(self) -> str:
        return f"{self.tool}, {self.day.day} {self.day:%b %Y}"

    def acts_by_hour(self) -> dict[tuple[datetime, str], int]:
        """The number of held acts by hour (UTC) and choice; an empty choice is a withdrawal."""
        acts = VoteEvent.objects.filter(group=self).annotate(hour=TruncHour("at", tzinfo=UTC))
        rows = acts.order_by("hour").values_list("hour", "after").annotate(total=Count("pk"))
        return {(hour, after): total for hour, after, total in rows}
