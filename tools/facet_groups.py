"""A filter as a list shows it: its choices with their counts, or its limits. No database here."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FacetChoice:
    """One choice of a filter."""

    value: str
    label: str
    chosen: bool
    count: int | None
    """How many tools match with this choice; None where that is not known."""


@dataclass(frozen=True)
class FacetLimit:
    """A field for one end of a range."""

    key: str
    label: str
    value: str
    kind: str
    """`number` or `date`."""


@dataclass(frozen=True)
class FacetGroup:
    """A filter: a set of choices under one query key, or two limits."""

    key: str
    label: str
    choices: Sequence[FacetChoice] = ()
    limits: Sequence[FacetLimit] = ()

    @property
    def is_chosen(self) -> bool:
        """Whether any of its choices or limits is set."""
        return any(each.chosen for each in self.choices) or any(each.value for each in self.limits)
