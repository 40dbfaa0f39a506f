"""Numbers and days as people type them and spreadsheets write them. No database here.

`1,234` is 1234 where the decimal sign is a point, and 1.234 where it is a comma. A text is read
only if all its readings are equal, or if its file says which one is meant.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Generic, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import TextChoices


class DecimalSign(TextChoices):
    """What stands before the decimals of a number."""

    POINT = "point", "Decimal point: 1,234.5"
    COMMA = "comma", "Decimal comma: 1.234,5"


class DayOrder(TextChoices):
    """What comes first in a day such as 05/06/2026."""

    DAY_FIRST = "day-first", "Day first: 22/05/2026"
    MONTH_FIRST = "month-first", "Month first: 05/22/2026"


V = TypeVar("V", bound=Decimal | date)
K = TypeVar("K", bound=TextChoices)

_SPACES = " \u00a0\u202f'’"
"""What groups thousands besides a comma or a point."""
_SIGNS = {DecimalSign.POINT: (".", ","), DecimalSign.COMMA: (",", ".")}
_NUMBERS = {
    own: re.compile(
        rf"[+-]?(\d+|[1-9]\d{{0,2}}(?P<group>[{_SPACES}{re.escape(other)}])\d{{3}}"
        rf"((?P=group)\d{{3}})*)({re.escape(sign)}\d+)?",
        re.ASCII,
    )
    for own, (sign, other) in _SIGNS.items()
}
"""Thousands are groups of three digits after one to three, of which the first is not 0."""
_PLAIN = re.compile(r"[+-]?\d+\.\d*[1-9]", re.ASCII)
_DAY = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})", re.ASCII)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LONGEST = 40


def numbers_in(text: str, *, point_is_usual: bool = True) -> Mapping[DecimalSign, Decimal]:
    """The number that this text stands for, by the decimal sign with which it does; empty if it is
    none.

    Where a point is usual, `1.625` has one reading; `128.000` has two, because no decimals need
    these zeros.
    """
    if point_is_usual and _PLAIN.fullmatch(text):
        return {DecimalSign.POINT: Decimal(text)}
    found = {}
    for own, pattern in _NUMBERS.items():
        if pattern.fullmatch(text):
            sign, _ = _SIGNS[own]
            digits = re.sub(rf"[^\d+\-{re.escape(sign)}]", "", text)
            found[own] = Decimal(digits.replace(sign, "."))
    return found


def days_in(text: str) -> Mapping[DayOrder, date]:
    """The day that this text stands for, by the order with which it does; empty if it is none."""
    if _ISO_DAY.fullmatch(text):
        day = _day(*map(int, text.split("-")))
        return dict.fromkeys(DayOrder, day) if day else {}
    match = _DAY.fullmatch(text)
    if not match:
        return {}
    first, between, second, year = match[1], match[2], match[3], int(match[4])
    found = {DayOrder.DAY_FIRST: _day(year, int(second), int(first))}
    own = (int(first), int(second))
    found[DayOrder.MONTH_FIRST] = _day(year, *own) if between != "." else found[DayOrder.DAY_FIRST]
    return {order: day for order, day in found.items() if day}


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def typed_number(text: str) -> Decimal:
    """The number in a field or cell; raises ValidationError that says what would do."""
    found = numbers_in(text)
    if not found:
        fault = f"“{text[:_LONGEST]}” is no number: give one such as 128000 or 1.5."
        raise ValidationError(fault)
    return _only(found, text)


def typed_day(text: str) -> date:
    """The day in a field or cell; raises ValidationError that says what would do."""
    found = days_in(text)
    if not found:
        raise ValidationError(f"“{text[:_LONGEST]}” is no date: give one such as 2026-11-20.")
    return _only(found, text)


def _only(found: Mapping[Any, V], text: str) -> V:
    values = list(dict.fromkeys(found.values()))
    if len(values) > 1:
        fault = f"“{text[:_LONGEST]}” can mean {in_either_way(values)}: write the one meant."
        raise ValidationError(fault)
    return values[0]


def as_typed(value: Decimal | date) -> str:
    """A number or day as a text that has no other reading."""
    if isinstance(value, date):
        return value.isoformat()
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_either_way(values: Sequence[Decimal | date]) -> str:
    """What a text can mean: `1234 or 1.234`."""
    return " or ".join(map(as_typed, values))


class NumberField(forms.DecimalField):
    """A number as people type it: `1.5`, `0,135`, `128 000`."""

    def to_python(self, value: Any) -> Any:
        """Raises ValidationError for a text that is no number, or that can mean two."""
        text = "" if value is None else str(value).strip()
        return super().to_python(typed_number(text) if text else None)


class SpreadsheetColumn(Generic[K, V]):
    """How one column of a file writes its numbers or days; `stated` is what the editor said of it.

    `note` every cell first: one that can be read in one way only proves that way for the others.
    """

    def __init__(self, readings: Callable[[str], Mapping[K, V]], stated: K | None) -> None:
        self._readings = readings
        self._stated = stated
        self._proven: set[K] = set()
        self.unclear: list[tuple[int, str]] = []
        """The cells that can be read in two ways: their lines and texts."""
        self.unreadable: list[tuple[int, str]] = []
        """The cells that cannot be read at all."""

    def note(self, line: int, text: str) -> None:
        """Learn from a cell."""
        found = self._readings(text)
        if not found:
            self.unreadable.append((line, text))
        elif len(found) == 1:
            self._proven |= {*found}
        elif len({*found.values()}) > 1:
            self.unclear.append((line, text))

    @property
    def way(self) -> K | None:
        """The one way in which the column is written; None if nothing tells."""
        if self._stated is None and len(self._proven) == 1:
            return next(iter(self._proven))
        return self._stated

    @property
    def is_unclear(self) -> bool:
        """Whether an editor has to say how it is written."""
        return self.way is None and bool(self.unclear)

    def meanings(self, text: str) -> str:
        """What an unclear cell can mean, in words."""
        return in_either_way([*self._readings(text).values()])

    def read(self, text: str) -> V | None:
        """The value of a cell; None if it has none in the column's way."""
        found = self._readings(text)
        if self._stated is not None:
            return found.get(self._stated)
        way = self.way
        return found[way] if way and way in found else next(iter(found.values()), None)
