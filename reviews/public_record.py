"""The public record of a tool: changed takes, facts and prices together, newest first."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from django.db.models import Value

from reviews.models import TakeChange
from tools.models import FactChange, Tool

Change: TypeAlias = TakeChange | FactChange


class PublicRecord:
    """The public changes of a tool; a slice of it takes at most three queries."""

    def __init__(self, tool: Tool, now: datetime) -> None:
        self.takes = TakeChange.objects.on(tool).by_public_reviewers(now)
        self.facts = FactChange.objects.on(tool)

    def __getitem__(self, part: slice) -> Sequence[Change]:
        """The changes from one place to another, newest first."""
        keys = [
            rows.order_by().annotate(kind=Value(kind)).values_list("at", "id", "kind")
            for kind, rows in (("take", self.takes), ("fact", self.facts))
        ]
        rows = list(keys[0].union(keys[1], all=True).order_by("-at", "kind", "-id")[part])
        found: dict[str, dict[int, Change]] = {
            "take": {**self.takes.in_bulk([key for _, key, kind in rows if kind == "take"])},
            "fact": {**self.facts.in_bulk([key for _, key, kind in rows if kind == "fact"])},
        }
        return [found[kind][key] for _, key, kind in rows]
