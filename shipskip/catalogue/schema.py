"""The shape of a catalogue document, taken from the models: keys, limits, what may be missing.

What a key accepts comes from its model field, so that document and database always agree. A key
may be missing if the field has a default or may be blank.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations

from comparisons.addresses import MAX_TOOLS
from comparisons.models import Comparison
from reviews.models import LONGEST_PHRASE, Reviewer, Take
from shipskip.catalogue.faults import MAX_FAULTS, Fault, Json, key_place, quoted
from shipskip.catalogue.reading import RepeatedKeys
from shipskip.catalogue.values import (
    Boolean,
    Choice,
    DateTime,
    OrNull,
    Parser,
    Phrases,
    Slug,
    Text,
    ToolList,
    ToolTexts,
    WholeNumber,
    nearest,
)
from tools.models import LONGEST_CHOOSE_IF, Category, Tool

FORMAT = "shipskip-catalogue/2"
"""The format that dumps are written in."""
FORMAT_1 = "shipskip-catalogue/1"
"""The first format, which is read for ever: fewer keys, and comparisons of two tools."""

UNFINISHED = {"score": None, "verdict": ""}
"""The keys of a take that only a draft may lack, and what is stored instead."""
PLACE = "place"
"""The key of a row for its place in the document, where a fault may be found later."""

Row = dict[str, Any]
"""A valid entry by field name; references are slugs. Missing keys are missing here too."""


@dataclass(frozen=True)
class Key:
    """One key of an entry: its field, its parser, and whether it is required."""

    field: str
    parser: Parser
    required: bool


@dataclass(frozen=True)
class Shape:
    """A kind of entry: its noun, and its keys in the order of the document."""

    noun: str
    keys: Mapping[str, Key]
    later: Collection[str] = ()
    """The keys that only a newer format has."""

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Row:
        """The valid part of an entry as a row; faults are added to `faults`."""
        if not isinstance(value, dict):
            needed = ", ".join(name for name, key in self.keys.items() if key.required)
            message = f"{quoted(value)} is not {self.noun}, an object with the keys {needed}"
            faults.append(Fault(place, message))
            return {}
        row: Row = {}
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
        hint = nearest(name, self.keys) or f"; its keys are {', '.join(self.keys)}"
        return f"is not a key of {self.noun}{hint}"


@dataclass(frozen=True)
class Takes:
    """The list of takes on one tool, at most one by a reviewer."""

    shape: Shape
    accepted: str = "a list of takes"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> list[Row] | None:
        """A row for each take, in order; the rows of faulty ones lack the bad keys."""
        if not isinstance(value, list):
            faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
            return None
        rows: list[Row] = []
        first: dict[str, int] = {}
        for at, each in enumerate(value):
            if len(faults) > MAX_FAULTS:
                break
            rows.append(self.shape.parse(each, f"{place}[{at}]", faults))
            if isinstance(each, dict):
                self._check_unfinished(rows[-1], each, f"{place}[{at}]", faults)
            reviewer = rows[-1].get("reviewer")
            if reviewer is not None and first.setdefault(reviewer, at) != at:
                message = f"{quoted(reviewer)} has {place}[{first[reviewer]}] already; keep one"
                faults.append(Fault(f"{place}[{at}].reviewer", message))
        return rows

    def _check_unfinished(
        self, row: Row, entry: dict[str, Json], place: str, faults: list[Fault]
    ) -> None:
        """Refuse a take with a date that lacks score or verdict; note the place of a draft."""
        missing = [name for name in UNFINISHED if entry.get(name) is None]
        if row.get("published_at"):
            for name in missing:
                accepted = TAKE.keys[name].parser.accepted
                what = "is null, which only a draft can be" if name in entry else "is missing"
                faults.append(Fault(key_place(place, name), f"{what}; give {accepted}"))
        elif missing:
            row[PLACE] = place


def _key(model: type[models.Model], name: str, parser: Parser | None = None) -> Key:
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)  # noqa: S101 - for the type checker
    required = not (field.blank or field.has_default())
    return Key(name, parser or _parser(field), required)


def _parser(field: "models.Field[Any, Any]") -> Parser:
    """The parser for the values of a model field."""
    if field.name == "slug" or isinstance(field, models.ForeignKey):
        return Slug()
    if field.choices:
        words = [str(value) for value, _ in field.flatchoices]
        may_be_empty = field.blank and field.name not in UNFINISHED
        return Choice([*words, ""] if may_be_empty else words)
    if isinstance(field, models.BooleanField):
        return Boolean()
    if isinstance(field, models.DateTimeField):
        return DateTime()
    if isinstance(field, models.IntegerField):
        return WholeNumber(*_bounds(field))
    if isinstance(field, models.JSONField):
        phrase = Text(LONGEST_PHRASE, may_be_empty=False)
        return Phrases(phrase, field.run_validators)
    assert field.max_length  # noqa: S101 - every text of these models has a limit
    if isinstance(field, models.TextField):
        return Text(field.max_length, one_line=False, check=field.run_validators)
    return Text(field.max_length, may_be_empty=field.blank)


def _bounds(field: "models.IntegerField[Any, Any]") -> tuple[int, int]:
    """The limits of both databases, within those of the field's validators."""
    least, most = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            least = max(least, validator.limit_value)
        if isinstance(validator, MaxValueValidator):
            most = min(most, validator.limit_value)
    return least, most


def _website() -> Text:
    field = Tool._meta.get_field("website")
    return Text(
        field.max_length or 0,
        check=field.run_validators,
        kind='a web address that begins with http:// or https://, or ""',
    )


def _keys(model: type[models.Model], *names: str) -> dict[str, Key]:
    """Keys with the names of their fields."""
    return {name: _key(model, name) for name in names}


CATEGORY = Shape(
    "a category",
    _keys(Category, "slug", "name", "description") | {"published": _key(Category, "published_at")},
)
REVIEWER = Shape(
    "a reviewer",
    _keys(Reviewer, "slug", "name", "motto", "bio", "likes", "dislikes", "position")
    | {"published": _key(Reviewer, "published_at")},
)
TAKE = Shape(
    "a take",
    _keys(Take, "reviewer")
    | {
        name: _key(Take, name, OrNull(_keys(Take, name)[name].parser, empty))
        for name, empty in UNFINISHED.items()
    }
    | _keys(Take, "basis", "body")
    | {"published": _key(Take, "published_at")},
)
TOOL = Shape(
    "a tool",
    _keys(Tool, "slug", "name", "label", "category", "maker")
    | {"website": _key(Tool, "website", _website())}
    | _keys(Tool, "tagline", "description", "best_for", "choose_if", "entry", "pricing", "license")
    | {"published": _key(Tool, "published_at"), "takes": Key("takes", Takes(TAKE), required=False)},
)


def _comparison(tools: ToolList) -> Shape:
    texts = ToolTexts(Text(LONGEST_CHOOSE_IF, may_be_empty=False))
    return Shape(
        "a comparison",
        {"tools": Key("tools", tools, required=True)}
        | {"choose_if": _key(Comparison, "choose_if", texts)}
        | _keys(Comparison, "summary", "featured")
        | {"published": _key(Comparison, "published_at")},
    )


COMPARISON = _comparison(
    ToolList(MAX_TOOLS, f"a list of 2 to {MAX_TOOLS} different tools’ slugs"),
)
SECTIONS: Mapping[str, Shape] = {
    "categories": CATEGORY,
    "reviewers": REVIEWER,
    "tools": TOOL,
    "comparisons": COMPARISON,
}
"""The document's lists of entries, in the order they are written."""


def _without(shape: Shape, *later: str) -> Shape:
    """A shape of format 1, which lacks these keys."""
    keys = {name: key for name, key in shape.keys.items() if name not in later}
    return replace(shape, keys=keys, later=later)


def _tool_of_format_1() -> Shape:
    tool = _without(TOOL, "label", "choose_if")
    takes = Key("takes", Takes(_without(TAKE, "basis")), required=False)
    return replace(tool, keys={**tool.keys, "takes": takes})


_TWO = f"a list of two different tools’ slugs, or up to {MAX_TOOLS} in a file of {quoted(FORMAT)}"
SECTIONS_OF = {
    FORMAT: SECTIONS,
    FORMAT_1: {
        **SECTIONS,
        "tools": _tool_of_format_1(),
        "comparisons": _without(_comparison(ToolList(2, _TWO)), "choose_if"),
    },
}
"""The lists of entries of each format."""
