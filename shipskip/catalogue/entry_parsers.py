"""Parsers of entries: their keys, and for each key a parser that follows from its model field."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations

from reviews.models import LONGEST_PHRASE
from shipskip.catalogue.faults import MAX_FAULTS, Fault, Json, key_place, quoted
from shipskip.catalogue.reading import RepeatedKeys
from shipskip.catalogue.value_parsers import (
    BooleanParser,
    ChoiceParser,
    DateTimeParser,
    Parser,
    PhraseListParser,
    SlugParser,
    TextParser,
    WholeNumberParser,
    did_you_mean,
)

FORMAT = "shipskip-catalogue/2"
"""The format that dumps are written in."""
FORMAT_1 = "shipskip-catalogue/1"
"""The first format, which can always be read: fewer keys, and comparisons of two tools."""

UNFINISHED = {"score": None, "verdict": ""}
"""The keys of a take that only a draft may lack, and what is stored instead."""
PLACE_KEY = "place"
"""The key of a row for its place in the document, needed for faults that are found later."""

EntryRow = dict[str, Any]
"""The values of a valid entry by field name; references are slugs; missing keys are left out."""


@dataclass(frozen=True)
class EntryKey:
    """One key of an entry: its field, its parser, and whether it is required."""

    field: str
    parser: Parser
    required: bool


@dataclass(frozen=True)
class EntryParser:
    """One kind of entry: its noun, and its keys in the order of the document."""

    noun: str
    keys: Mapping[str, EntryKey]
    later: Collection[str] = ()
    """The keys that only a newer format has."""

    def parse(self, value: Json, place: str, faults: list[Fault]) -> EntryRow:
        """The valid part of an entry as a row; faults are added to `faults`."""
        if not isinstance(value, dict):
            needed = ", ".join(name for name, key in self.keys.items() if key.required)
            message = f"{quoted(value)} is not {self.noun}, an object with the keys {needed}"
            faults.append(Fault(place, message))
            return {}
        row: EntryRow = {}
        again = value.repeated if isinstance(value, RepeatedKeys) else ()
        for name, given in value.items():
            where = key_place(place, name)
            if name in again:
                faults.append(Fault(where, "is given twice; keep one"))
            if name not in self.keys:
                faults.append(Fault(where, self._unknown(name)))
                continue
            key, before = self.keys[name], len(faults)
            read = key.parser.parse(given, where, faults)
            if len(faults) == before or isinstance(read, list):
                row[key.field] = read
        for name, key in self.keys.items():
            if key.required and name not in value:
                message = f"is missing; give {key.parser.accepted}"
                faults.append(Fault(key_place(place, name), message))
        return row

    def _unknown(self, name: str) -> str:
        if name in self.later:
            return f"is a key of {quoted(FORMAT)}; write that as the file’s format"
        hint = did_you_mean(name, self.keys) or f"; its keys are {', '.join(self.keys)}"
        return f"is not a key of {self.noun}{hint}"


@dataclass(frozen=True)
class EntryListParser:
    """A list of entries of a tool, unique by the keys `once`; `check` is a further validator."""

    entry: EntryParser
    once: tuple[str, ...]
    accepted: str
    check: Callable[[EntryRow, dict[str, Json], str, list[Fault]], None] | None = None
    most: int | None = None

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[EntryRow] | None:
        """A row for each entry, in order; the rows of faulty ones lack the bad keys."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        if self.most and len(value) > self.most:
            message = f"has {len(value):,} entries; at most {self.most} are allowed"
            faults.append(Fault(place, message))
            return None
        rows: list[EntryRow] = []
        first: dict[tuple[Any, ...], int] = {}
        for at, each in enumerate(value):
            if len(faults) > MAX_FAULTS:
                break
            where = f"{place}[{at}]"
            rows.append(self.entry.parse(each, where, faults))
            if self.check and isinstance(each, dict):
                self.check(rows[-1], each, where, faults)
            key = tuple(rows[-1].get(name) for name in self.once)
            if None not in key and first.setdefault(key, at) != at:
                faults.append(self._repeated(rows[-1], where, f"{place}[{first[key]}]"))
        return rows

    def _repeated(self, row: EntryRow, place: str, first: str) -> Fault:
        if len(self.once) == 1:
            message = f"{quoted(row[self.once[0]])} has {first} already; keep one"
            return Fault(f"{place}.{self.once[0]}", message)
        *names, last = self.once
        return Fault(place, f"has the {', '.join(names)} and {last} of {first}; keep one")


def key_of(model: type[models.Model], name: str, parser: Parser | None = None) -> EntryKey:
    """The key of a field; its parser follows from the field unless one is given."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)  # noqa: S101 - for the type checker
    required = not (field.blank or field.has_default())
    return EntryKey(name, parser or _parser(field), required)


def _parser(field: "models.Field[Any, Any]") -> Parser:
    """The parser for the values of a model field."""
    if field.name == "slug" or isinstance(field, models.ForeignKey):
        return SlugParser()
    if field.choices:
        words = [str(value) for value, _ in field.flatchoices]
        may_be_empty = field.blank and field.name not in UNFINISHED
        return ChoiceParser([*words, ""] if may_be_empty else words)
    if isinstance(field, models.BooleanField):
        return BooleanParser()
    if isinstance(field, models.DateTimeField):
        return DateTimeParser()
    if isinstance(field, models.IntegerField):
        return WholeNumberParser(*_bounds(field))
    if isinstance(field, models.JSONField):
        phrase = TextParser(LONGEST_PHRASE, may_be_empty=False)
        return PhraseListParser(phrase, field.run_validators)
    assert field.max_length  # noqa: S101 - every text of these models has a limit
    if isinstance(field, models.TextField):
        return TextParser(field.max_length, one_line=False, check=field.run_validators)
    return TextParser(field.max_length, may_be_empty=field.blank)


def _bounds(field: "models.IntegerField[Any, Any]") -> tuple[int, int]:
    """The strictest limits of both databases and the field's validators."""
    least, most = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            least = max(least, validator.limit_value)
        if isinstance(validator, MaxValueValidator):
            most = min(most, validator.limit_value)
    return least, most


def web_address(model: type[models.Model], name: str) -> TextParser:
    """The parser for a field that takes a web address or nothing."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.CharField)  # noqa: S101 - for the type checker
    return TextParser(
        field.max_length or 0,
        check=field.run_validators,
        kind='a web address that begins with http:// or https://, or ""',
    )


def keys_of(model: type[models.Model], *names: str) -> dict[str, EntryKey]:
    """Keys with the names of their fields."""
    return {name: key_of(model, name) for name in names}
