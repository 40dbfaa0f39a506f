"""Filters by facts."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from shipskip.content.records import Attribute
from tools.fact_values import AttributeKind

FACT_PREFIX = "fact."
"""The prefix of attributes' query keys: `fact.self-hosted`, `fact.context-window.min`."""

KINDS_WITH_CHOICES = (AttributeKind.YES_NO, AttributeKind.CHOICE, AttributeKind.CHOICES)
KINDS_WITH_LIMITS = (AttributeKind.NUMBER, AttributeKind.DATE)
YES_NO = (("yes", "Yes"), ("no", "No"))

FactLimit = Decimal | date | None


@dataclass(frozen=True)
class FactFilter:
    """A reader's filter on one attribute: any of `choices`, or a value within limits."""

    attribute: Attribute
    choices: tuple[str, ...] = ()
    """`yes`, `no`, or some of the attribute's choices."""
    least: FactLimit = None
    most: FactLimit = None


def key_of(attribute: Attribute) -> str:
    """The query key of an attribute; the limits of a number or date add `.min` and `.max`."""
    return f"{FACT_PREFIX}{attribute.slug}"


def choices_of(attribute: Attribute) -> list[tuple[str, str]]:
    """The choices of an attribute, as value and label; none for other kinds."""
    if attribute.kind == AttributeKind.YES_NO:
        return list(YES_NO)
    return (
        [(each, each) for each in attribute.choices] if attribute.kind in KINDS_WITH_CHOICES else []
    )
