"""Values of facts: the kinds, what each accepts, and how a value reads. No database here.

A value is `Decimal` for a number, `bool` for yes-no, `str` for a choice or a text, a list of `str`
for several choices, `date` for a date, and None where the source that was read does not say.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from django.core.exceptions import ValidationError
from django.db.models import TextChoices

from shipskip.web.text import day_in_words
from shipskip.web.typed_values import as_typed, typed_day, typed_number

LONGEST_TEXT = 200
"""Maximum characters of a text, of a choice, and of all choices of one fact together."""
LICENCE = "licence"
"""The slug of the attribute with the licence of a tool, which is a text."""
MAX_DIGITS, DECIMAL_PLACES = 18, 6
"""The digits of a column for numbers, and how many of them are decimals."""
MAX_SIGNIFICANT = 15
"""How many digits of a number may differ from 0 at its ends: SQLite stores it as a double."""
UNGROUPED_BELOW = 10_000
"""A number without unit below this is written without separators, because it may be a year."""

Value: TypeAlias = Decimal | bool | str | list[str] | date | None

_YES, _NO = ("yes", "y", "true"), ("no", "n", "false")
BETWEEN_CHOICES = ";"

NOT_STATED = "Not stated"
"""A source was read, and it does not say."""
NO_SOURCE_READ = "Give the source that was read: “not stated” means that it does not say."
NO_ADDRESS = "Give the address where these words stand."
"""The fault of a quote without a source."""
NOT_APPLICABLE = "Does not apply"
"""An editor's own answer: the question makes no sense for this tool."""
NOT_RECORDED = "Not recorded"
"""There is no answer yet."""
NOT_ASKED = "Not asked of this category"
NOT_STATED_CELL, NOT_APPLICABLE_CELL = "not stated", "n/a"
"""The texts of a cell that has no value."""
NOT_SAID = "not said"
"""The cell of a CSV file for the same."""
_NOT_STATED_WORDS = (NOT_STATED_CELL, NOT_SAID, "the maker does not say")
"""The last two are those of earlier releases."""
_NOT_APPLICABLE_WORDS = (NOT_APPLICABLE_CELL, NOT_APPLICABLE.casefold())


class FactAnswer(NamedTuple):
    """The content of a fact; None instead of an Answer means that none is recorded."""

    value: Value = None
    applies: bool = True


class AttributeKind(TextChoices):
    """The kind of value that a question expects."""

    NUMBER = "number", "Number"
    YES_NO = "yes-no", "Yes or no"
    CHOICE = "choice", "One choice"
    CHOICES = "choices", "Several choices"
    TEXT = "text", "Text"
    DATE = "date", "Date"


class Better(TextChoices):
    """Which of two numbers is better."""

    HIGHER = "higher", "Higher"
    LOWER = "lower", "Lower"


def number_in_words(number: Decimal, unit: str = "") -> str:
    """A number with its unit, without zeros at its end: `128,000 tokens`, `1.92`, `2021`."""
    text = f"{number:f}" if not unit and abs(number) < UNGROUPED_BELOW else f"{number:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}".rstrip()


def in_words(value: Value, unit: str = "") -> str:
    """A value as readers see it; `unit` follows a number."""
    if value is None:
        return NOT_STATED
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, Decimal):
        return number_in_words(value, unit)
    if isinstance(value, date):
        return day_in_words(value)
    return ", ".join(value) if isinstance(value, list) else value


def value_fault(value: Value, kind: str, choices: Sequence[str]) -> str:
    """Validate a value for a question of this kind; return the error message, or an empty text.

    `choices` are those of the question.
    """
    if isinstance(value, Decimal):
        return _number_fault(value)
    given = value if isinstance(value, list) else [value]
    if kind in (AttributeKind.CHOICE, AttributeKind.CHOICES) and value is not None:
        for each in given:
            if each not in choices:
                return f"“{each}” is not one of the choices: {', '.join(choices)}."
    if isinstance(value, list):
        if not value or len(set(value)) < len(value):
            return "Give each choice once." if value else "Give at least one choice."
        if len("\n".join(value)) > LONGEST_TEXT:
            return f"The choices have more than {LONGEST_TEXT} characters together."
    return ""


def _number_fault(number: Decimal) -> str:
    if not number.is_finite():
        return "This is not a number."
    if abs(number) >= 10 ** (MAX_DIGITS - DECIMAL_PLACES):
        return f"Give a number below {10 ** (MAX_DIGITS - DECIMAL_PLACES):,}."
    if number != round(number, DECIMAL_PLACES):
        return f"Give at most {DECIMAL_PLACES} decimal places."
    if len(number.normalize().as_tuple().digits) > MAX_SIGNIFICANT:
        return f"Give at most {MAX_SIGNIFICANT} digits, apart from zeros at either end."
    return ""


def validate_number(number: Decimal) -> None:
    """Django validator for the limits of a number; raises ValidationError."""
    if sentence := _number_fault(number):
        raise ValidationError(sentence)


def places_of_best(numbers: Sequence[Decimal | None], better: str) -> set[int]:
    """The places of the best of these numbers; empty if fewer than two are known, if all known ones
    are equal, or if `better` is neither `higher` nor `lower`.
    """
    known = [number for number in numbers if number is not None]
    if not better or len(known) < 2 or min(known) == max(known):
        return set()
    top = max(known) if better == Better.HIGHER else min(known)
    return {at for at, number in enumerate(numbers) if number == top}


def parse(text: str, kind: str, choices: Sequence[str]) -> Value:
    """Parse the value in a text for a question of this kind; None for an empty text.

    Accepted are `yes` or `no`, a number or a date that can be read in one way only, and choices
    separated by `;`, which are case-insensitive. Raises ValidationError that says what is accepted.
    """
    text = text.strip()
    if not text:
        return None
    value: Value = text
    if kind == AttributeKind.YES_NO:
        value = _yes_or_no(text)
    elif kind == AttributeKind.NUMBER:
        value = typed_number(text)
    elif kind == AttributeKind.DATE:
        value = typed_day(text)
    elif kind in (AttributeKind.CHOICE, AttributeKind.CHOICES):
        known = {each.casefold(): each for each in choices}
        given = text.split(BETWEEN_CHOICES) if kind == AttributeKind.CHOICES else [text]
        found = [known.get(each.strip().casefold(), each.strip()) for each in given]
        found = [each for each in found if each]
        value = found if kind == AttributeKind.CHOICES else found[0]
    elif len(text) > LONGEST_TEXT:
        raise ValidationError(f"Give at most {LONGEST_TEXT} characters; this has {len(text):,}.")
    if sentence := value_fault(value, kind, choices):
        raise ValidationError(sentence)
    return value


def as_text(value: Value) -> str:
    """Format a value as a text that `parse` accepts; empty without a value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal | date):
        return as_typed(value)
    return f"{BETWEEN_CHOICES} ".join(value) if isinstance(value, list) else value


def stands_for_no_value(text: str) -> bool:
    """Whether this text of a cell means “not stated” or “does not apply”."""
    return text.strip().casefold() in _NOT_STATED_WORDS + _NOT_APPLICABLE_WORDS


def stands_for_silence(text: str) -> bool:
    """Whether this text of a cell means “not stated”."""
    return text.strip().casefold() in _NOT_STATED_WORDS


def parse_answer(text: str, kind: str, choices: Sequence[str]) -> FactAnswer | None:
    """Parse a cell as an answer: a value, `not stated` or `n/a`; None for an empty cell.

    Raises ValidationError that says what is accepted.
    """
    word = text.strip().casefold()
    if word in _NOT_STATED_WORDS:
        return FactAnswer()
    if word in _NOT_APPLICABLE_WORDS:
        return FactAnswer(applies=False)
    value = parse(text, kind, choices)
    return None if value is None else FactAnswer(value)


def answer_as_text(answer: FactAnswer | None) -> str:
    """Format an answer as a cell that `parse_answer` accepts."""
    if answer is None:
        return ""
    if not answer.applies:
        return NOT_APPLICABLE_CELL
    return NOT_STATED_CELL if answer.value is None else as_text(answer.value)


def _yes_or_no(text: str) -> bool:
    word = text.casefold()
    if word not in (*_YES, *_NO):
        raise ValidationError(f"“{text[:40]}” is neither yes nor no.")
    return word in _YES
