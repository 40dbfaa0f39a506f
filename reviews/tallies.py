"""Tallies: locking and changing one, and comparing them with the votes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Coalesce

from reviews.models import ToolTally, Vote
from reviews.scoring import Tally
from tools.models import Tool


def locked_tally(tool: Tool) -> ToolTally:
    """The tool's tally row, created if missing, with a row lock until the transaction ends."""
    locked = ToolTally.objects.select_for_update()
    row = locked.filter(tool=tool).first()
    if row is None:
        ToolTally.objects.bulk_create([ToolTally(tool=tool)], ignore_conflicts=True)
        row = locked.get(tool=tool)
    return row


def add(tally: ToolTally, changes: Mapping[str, int]) -> None:
    """Add to the counts by choice, in the database and on this object; an empty choice is none."""
    ship, skip = changes.get("ship", 0), changes.get("skip", 0)
    ToolTally.objects.filter(pk=tally.pk).update(ship=F("ship") + ship, skip=F("skip") + skip)
    tally.ship += ship
    tally.skip += skip


@dataclass(frozen=True)
class Drift:
    """A tool whose stored tally differs from its counted votes."""

    tool_id: int
    stored: Tally
    counted: Tally


def drifts() -> list[Drift]:
    """Every tool whose tally differs from its votes, by primary key.

    One query, so votes and tallies are of the same moment even while visitors vote.
    """
    rows = (
        Tool.everything.order_by("pk")
        .values("pk")
        .annotate(
            stored_ship=Coalesce(Max("tally_row__ship"), 0),
            stored_skip=Coalesce(Max("tally_row__skip"), 0),
            ship=Count("votes", filter=_counted("ship", "votes__")),
            skip=Count("votes", filter=_counted("skip", "votes__")),
        )
        .exclude(stored_ship=F("ship"), stored_skip=F("skip"))
    )
    return [
        Drift(
            row["pk"],
            Tally(row["stored_ship"], row["stored_skip"]),
            Tally(row["ship"], row["skip"]),
        )
        for row in rows
    ]


def recount(tool_id: int) -> Tally:
    """Rebuild one tool's tally from its votes, while its row is locked against new votes."""
    with transaction.atomic():
        tool = Tool.everything.get(pk=tool_id)
        row = locked_tally(tool)
        found = Vote.objects.filter(tool=tool).aggregate(
            ship=Count("pk", filter=_counted("ship")), skip=Count("pk", filter=_counted("skip"))
        )
        row.ship, row.skip = found["ship"], found["skip"]
        row.save(update_fields=["ship", "skip"])
    return row.value


def _counted(choice: str, prefix: str = "") -> Q:
    """The votes that the tally contains with this choice."""
    return Q(**{f"{prefix}voiding": None, f"{prefix}choice": choice})
