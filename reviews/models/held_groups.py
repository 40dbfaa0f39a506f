"""Groups of held votes, about which an editor decides."""

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
        """Note an act of a group, which may be new; one statement."""
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
    """How many votes of each group fulfil a condition."""
    votes = Vote.objects.filter(condition, group=OuterRef("pk")).order_by().values("group")
    return Coalesce(Subquery(votes.annotate(total=Count("pk")).values("total")), 0)


class HeldGroup(models.Model):
    """What was held of one network on one tool and day; outlives the hash of the network.

    `network` finds the group of an act. It is erased after 48 hours and by a decision, so that a
    group that is decided takes no more votes.
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
        """How many acts were held in each hour (UTC), by choice; empty: took back."""
        acts = VoteEvent.objects.filter(group=self).annotate(hour=TruncHour("at", tzinfo=UTC))
        rows = acts.order_by("hour").values_list("hour", "after").annotate(total=Count("pk"))
        return {(hour, after): total for hour, after, total in rows}
