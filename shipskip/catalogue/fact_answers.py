"""Parsers of a fact's value, by the kind of its attribute. No database here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isfinite

from shipskip.catalogue.faults import MAX_FAULTS, Fault, Json, quoted
from shipskip.catalogue.value_parsers import (
    BooleanParser,
    ChoiceParser,
    DateParser,
    Parser,
    TextParser,
)
from tools.fact_values import (
    DECIMAL_PLACES,
    LONGEST_TEXT,
    MAX_DIGITS,
    AttributeKind,
    Value,
    value_fault,
)

NOT_SAID = "null where the maker does not say"


@dataclass(frozen=True)
class Question:
    """What values an attribute accepts, and its categories; no category means all of them."""

    kind: str = ""
    choices: tuple[str, ...] = ()
    categories: frozenset[str] = frozenset()
    unit: str = ""
    better: str = ""

    def is_asked_in(self, category: str) -> bool:
        """Whether the attribute applies to tools of this category."""
        return not self.categories or category in self.categories

    @property
    def parser(self) -> Parser | None:
        """The parser for its values; None for an unknown kind, and for a choice without choices."""
        if self.kind in (AttributeKind.CHOICE, AttributeKind.CHOICES) and not self.choices:
            return None
        parsers: dict[str, Parser] = {
            AttributeKind.NUMBER: NumberParser(),
            AttributeKind.YES_NO: BooleanParser(),
            AttributeKind.CHOICE: ChoiceParser(self.choices),
            AttributeKind.CHOICES: ChoiceListParser(self.choices),
            AttributeKind.TEXT: TextParser(LONGEST_TEXT, may_be_empty=False),
            AttributeKind.DATE: DateParser(),
        }
        return parsers.get(self.kind)


@dataclass(frozen=True)
class NumberParser:
    """A number, whole or with decimal places."""

    accepted: str = (
        f"a number such as 128000 or 1.92, of at most {MAX_DIGITS - DECIMAL_PLACES} digits and "
        f"{DECIMAL_PLACES} decimal places"
    )

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Decimal | None:
        """The number with the digits of the file."""
        if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
            number = Decimal(repr(value))
            if not value_fault(number, AttributeKind.NUMBER, ()):
                return number
        faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        return None


@dataclass(frozen=True)
class ChoiceListParser:
    """A list of different choices."""

    choices: Sequence[str]

    @property
    def accepted(self) -> str:
        """The accepted values."""
        return f"a list of choices, each {ChoiceParser(self.choices).accepted}"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[str] | None:
        """The choices in their order."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        before, given = len(faults), list[str]()
        for at, each in enumerate(value[:MAX_FAULTS]):
            choice = ChoiceParser(self.choices).parse(each, f"{place}[{at}]", faults)
            if choice in given:
                message = f"{quoted(each)} is {place}[{given.index(choice)}] again; keep one"
                faults.append(Fault(f"{place}[{at}]", message))
            given.append(choice or "")
        if len(faults) > before:
            return None
        if not given:
            faults.append(Fault(place, f"is empty; give at least one choice, or {NOT_SAID}"))
        elif sentence := value_fault(given, AttributeKind.CHOICES, self.choices):
            faults.append(Fault(place, f"is too long: {sentence}"))
        else:
            return given
        return None


def amount_text(amount: Decimal) -> str:
    """Format an amount of money for a document, with at least two decimal places: `20.00`."""
    places = max(2, -int(amount.normalize().as_tuple().exponent))
    return f"{amount:.{places}f}"


def answer_json(value: Value) -> Json:
    """The value of a fact for a document; a whole number has no decimal places."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, date):
        return value.isoformat()
    return [*value] if isinstance(value, list) else value
