"""Parsers of single values: each has a text on what it accepts and adds a fault for all else.

A parser gets a JSON value and its place in the file. It returns the value to store, or None after
adding a fault to `faults`. No database here.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, Protocol

from django.core.exceptions import ValidationError

from shipskip.catalogue.faults import MAX_FAULTS, Fault, Json, key_place, quoted
from shipskip.catalogue.reading import RepeatedKeys
from shipskip.web.slugs import slug_fault
from shipskip.web.text import FORBIDDEN_CHARACTERS

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_AMOUNT = re.compile(r"(-?)\d{1,8}(?:\.\d{1,4})?", re.ASCII)
_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?P<zone>Z|[+-]\d\d:\d\d)?", re.ASCII
)


class Parser(Protocol):
    """Parses one kind of value."""

    @property
    def accepted(self) -> str:
        """The accepted values, in words that follow “is not” or “give”."""

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Any:
        """The value to store; faults are added to the list."""


@dataclass(frozen=True)
class TextParser:
    """A text of limited length; `check` is a further validator that raises ValidationError."""

    longest: int
    may_be_empty: bool = True
    one_line: bool = True
    check: Callable[[str], None] | None = None
    kind: str = ""

    @property
    def accepted(self) -> str:
        """The accepted values."""
        least = "at most" if self.may_be_empty else "1 to"
        return self.kind or f"a text of {least} {self.longest:,} characters"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> str | None:
        """The text as it is given."""
        message = self._fault(value)
        if message:
            faults.append(Fault(place, message))
            return None
        return str(value)

    def _fault(self, value: Json) -> str | None:
        if not isinstance(value, str):
            return f"{quoted(value)} is not {self.accepted}"
        if len(value) > self.longest:
            return f"is {len(value):,} characters long; at most {self.longest:,} are allowed"
        if not value.isprintable() and (forbidden := FORBIDDEN_CHARACTERS.search(value)):
            return _forbidden(forbidden[0])
        if self.one_line and ("\n" in value or "\r" in value):
            return "contains a line break; this text must be one line"
        if not self.may_be_empty and not value.strip():
            return f"is empty; give {self.accepted}"
        if self.check and value:
            try:
                self.check(value)
            except ValidationError as error:
                named = f"{quoted(value)} is not {self.accepted}"
                return named if self.kind else " ".join(error.messages)
        return None


def _forbidden(character: str) -> str:
    if "\ud800" <= character <= "\udfff":
        return "contains half a character (an unpaired surrogate); remove it"
    return f"contains U+{ord(character):04X}, which a page cannot show; remove it"


@dataclass(frozen=True)
class SlugParser:
    """The slug of a row, or of one it refers to."""

    accepted: str = "an address of lowercase letters, digits and single hyphens"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> str | None:
        """The slug."""
        if not isinstance(value, str):
            message: str | None = f"is not {self.accepted}"
        else:
            message = slug_fault(value)
        if message:
            faults.append(Fault(place, f"{quoted(value)} {message}"))
            return None
        return str(value)


@dataclass(frozen=True)
class ChoiceParser:
    """One of a few words."""

    choices: Sequence[str]

    @property
    def accepted(self) -> str:
        """The accepted values."""
        *others, last = map(quoted, self.choices)
        return f"{', '.join(others)} or {last}" if others else last

    def parse(self, value: Json, place: str, faults: list[Fault]) -> str | None:
        """The word."""
        if isinstance(value, str) and value in self.choices:
            return value
        faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        return None


@dataclass(frozen=True)
class WholeNumberParser:
    """A whole number; true and 80.0 are refused."""

    least: int
    most: int

    @property
    def accepted(self) -> str:
        """The accepted values."""
        return f"a whole number between {self.least} and {self.most}"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> int | None:
        """The number."""
        if isinstance(value, bool) or not isinstance(value, int):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        elif not self.least <= value <= self.most:
            message = f"{quoted(value)} is not between {self.least} and {self.most}"
            faults.append(Fault(place, message))
        else:
            return value
        return None


@dataclass(frozen=True)
class NullableParser:
    """A value that may be null; `empty` is stored for null."""

    parser: Parser
    empty: str | None

    @property
    def accepted(self) -> str:
        """The accepted values besides null."""
        return self.parser.accepted

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Any:
        """The value, or `empty` for null."""
        return self.empty if value is None else self.parser.parse(value, place, faults)


@dataclass(frozen=True)
class BooleanParser:
    """True or false."""

    accepted: str = "true or false"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> bool | None:
        """The value."""
        if isinstance(value, bool):
            return value
        faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        return None


@dataclass(frozen=True)
class DateTimeParser:
    """A date and time with its time zone, or null."""

    accepted: str = 'a date and time such as "2026-05-01T09:00:00Z", or null for a draft'

    def parse(self, value: Json, place: str, faults: list[Fault]) -> datetime | None:
        """The time in UTC, None for null."""
        if value is None:
            return None
        parts = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
        if not parts:
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        elif not parts["zone"]:
            message = f"{quoted(value)} has no time zone; add Z for UTC, or an offset as +02:00"
            faults.append(Fault(place, message))
        else:
            try:
                moment = datetime.fromisoformat(parts[0]).astimezone(UTC)
                if 1 < moment.year < 9999:  # so that each time zone can show it
                    return moment
                faults.append(Fault(place, f"{quoted(value)} is not a date of the years 2 to 9998"))
            except (ValueError, OverflowError) as error:
                faults.append(Fault(place, f"{quoted(value)} is not a valid date ({error})"))
        return None


@dataclass(frozen=True)
class DateParser:
    """A date; `latest` returns the latest allowed one, since a check cannot be in the future."""

    latest: Callable[[], date] | None = None
    accepted: str = 'a date such as "2026-11-20"'

    def parse(self, value: Json, place: str, faults: list[Fault]) -> date | None:
        """The date."""
        if not (isinstance(value, str) and _DAY.fullmatch(value)):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            faults.append(Fault(place, f"{quoted(value)} is not a valid date ({error})"))
            return None
        if self.latest and day > self.latest():
            message = f"{quoted(value)} is in the future; give the day of the check"
            faults.append(Fault(place, message))
            return None
        return day


@dataclass(frozen=True)
class AmountParser:
    """An amount of money as a text, because a number of JSON may lose its last digit."""

    accepted: str = 'a text such as "20.00", with at most 8 digits and 4 decimal places'

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Decimal | None:
        """The amount."""
        parts = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
        if not parts:
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        elif parts[1]:
            faults.append(Fault(place, f"{quoted(value)} is negative; write 0 or more, 0 is free"))
        else:
            return Decimal(parts[0])
        return None


@dataclass(frozen=True)
class SlugListParser:
    """Different slugs of other rows, in their order."""

    accepted: str

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[str] | None:
        """The slugs."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        before = len(faults)
        first: dict[str, int] = {}
        for at, each in enumerate(value[:MAX_FAULTS]):
            slug = SlugParser().parse(each, f"{place}[{at}]", faults)
            if slug is not None and first.setdefault(slug, at) != at:
                message = f"{quoted(slug)} is {place}[{first[slug]}] again; keep one"
                faults.append(Fault(f"{place}[{at}]", message))
        return list(first) if len(faults) == before else None


@dataclass(frozen=True)
class PhraseListParser:
    """A list of short texts; `check` raises ValidationError for an invalid list."""

    phrase: TextParser
    check: Callable[[Any], None]
    accepted: str = "a list of texts"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[str] | None:
        """The phrases in their order."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        before = len(faults)
        phrases = [
            self.phrase.parse(each, f"{place}[{at}]", faults)
            for at, each in enumerate(value[:MAX_FAULTS])
        ]
        if len(faults) > before:
            return None
        try:
            self.check(phrases)
        except ValidationError as error:
            faults.append(Fault(place, f"is invalid: {' '.join(error.messages)}"))
            return None
        return [phrase for phrase in phrases if phrase is not None]


@dataclass(frozen=True)
class ToolListParser:
    """The slugs of two to `most` different tools, in order."""

    most: int
    accepted: str

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[str] | None:
        """The slugs."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        if not 2 <= len(value) <= self.most:
            number = "1 tool" if len(value) == 1 else f"{len(value):,} tools"
            faults.append(Fault(place, f"names {number}; give {self.accepted}"))
            return None
        before = len(faults)
        slugs: list[str] = []
        for at, each in enumerate(value):
            slug = SlugParser().parse(each, f"{place}[{at}]", faults)
            if slug in slugs:
                message = f"{quoted(slug)} is tools[{slugs.index(slug)}] again; keep one"
                faults.append(Fault(f"{place}[{at}]", message))
            slugs.append(slug or "")
        return slugs if len(faults) == before else None


@dataclass(frozen=True)
class ToolTextsParser:
    """A text for some of a comparison's tools, by slug."""

    text: TextParser
    accepted: str = "an object of texts, with slugs of the comparison’s tools as keys"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> dict[str, str] | None:
        """The texts; whether each key is one of the tools is checked with the whole entry."""
        if not isinstance(value, dict):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        again = value.repeated if isinstance(value, RepeatedKeys) else ()
        texts: dict[str, str] = {}
        for slug, given in value.items():
            if len(faults) > MAX_FAULTS:
                break
            where = key_place(place, slug)
            if slug in again:
                faults.append(Fault(where, "is given twice; keep one"))
            text = self.text.parse(given, where, faults)
            if text is not None:
                texts[slug] = text
        return texts


def did_you_mean(word: str, known: Collection[str], most: int = 100) -> str:
    """Return “; did you mean …?” with a similar one of at most `most` known words, or nothing."""
    close = get_close_matches(word[:60], known, 1, cutoff=0.7) if len(known) <= most else []
    return f"; did you mean {quoted(close[0])}?" if close else ""
