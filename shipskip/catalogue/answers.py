"""The values of facts in a file, by the kinds of their attributes. No database here."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from math import isfinite
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic import ValidationError as TypeFault

from shipskip.catalogue.entries import NOT_ACCEPTED, Day, described, refusal, text_type, validated
from shipskip.catalogue.faults import Json, Path
from shipskip.catalogue.sentences import first_fault
from shipskip.web.text import validate_line
from tools.fact_values import (
    DECIMAL_PLACES,
    LONGEST_TEXT,
    MAX_DIGITS,
    MAX_SIGNIFICANT,
    AttributeKind,
    FactAnswer,
    Value,
    parse,
    value_fault,
)

WITH_CHOICES = (AttributeKind.CHOICE, AttributeKind.CHOICES)


class WrongAnswerError(Exception):
    """The question does not accept a value; `path` leads to the wrong part of it."""

    def __init__(self, sentence: str, path: Path = ()) -> None:
        super().__init__(sentence)
        self.path = path


def answer_of(fact: Mapping[str, Any], question: Mapping[str, Any], *, is_cell: bool) -> FactAnswer:
    """What a fact of a document or of a CSV file states; raises WrongAnswerError.

    `question` are the values of its attribute, some of which may be faulty.
    """
    value, kind = fact.get("value"), question.get("kind")
    choices = tuple(question.get("choices") or ())
    if "applies" in fact:
        return FactAnswer(applies=False)
    if value is None or not kind or None in choices or (kind in WITH_CHOICES and not choices):
        return FactAnswer()
    try:
        if is_cell:
            validate_line(value)
            return FactAnswer(parse(value, kind, choices))
        return FactAnswer(_adapter(kind, choices).validate_python(value))
    except ValidationError as error:
        raise WrongAnswerError(" ".join(error.messages)) from None
    except TypeFault as error:
        path, sentence = first_fault(error, _adapter(kind, choices))
        raise WrongAnswerError(sentence, path) from None


def _number(value: object) -> Decimal:
    """A number with the digits of the file."""
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        number = Decimal(repr(value))
        if not value_fault(number, AttributeKind.NUMBER, ()):
            return number
    raise NOT_ACCEPTED


def _together(value: list[str]) -> list[str]:
    if sentence := value_fault(value, AttributeKind.CHOICES, value):
        raise refusal(sentence)
    return value


NUMBER = (
    f"a number such as 128000 or 1.92, of at most {MAX_DIGITS - DECIMAL_PLACES} digits and "
    f"{DECIMAL_PLACES} decimal places, {MAX_SIGNIFICANT} together"
)


@cache
def _adapter(kind: str, choices: tuple[str, ...]) -> TypeAdapter[Any]:
    """The type of the values of a question."""
    choice: Any = Literal[choices]
    several = f"a list of different ones of {', '.join(choices)}, or null"
    accepted: dict[str, Any] = {
        AttributeKind.NUMBER: Annotated[Decimal, BeforeValidator(_number), described(NUMBER)],
        AttributeKind.YES_NO: bool,
        AttributeKind.TEXT: text_type(LONGEST_TEXT, validated(validate_line), blank=False),
        AttributeKind.DATE: Day,
        AttributeKind.CHOICE: choice,
        AttributeKind.CHOICES: Annotated[
            list[choice], Field(min_length=1, description=several), AfterValidator(_together)
        ],
    }
    return TypeAdapter(accepted[kind], config=ConfigDict(strict=True))


def answer_json(value: Value) -> Json:
    """The value of a fact for a document; a whole number has no decimal places."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, date):
        return value.isoformat()
    return [*value] if isinstance(value, list) else value


def amount_text(amount: Decimal) -> str:
    """Format an amount of money for a document, with at least two decimal places: `20.00`."""
    places = max(2, -int(amount.normalize().as_tuple().exponent))
    return f"{amount:.{places}f}"
