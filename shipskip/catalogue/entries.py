"""The entries of a catalogue document, as pydantic models whose limits are those of our models.

A key accepts what its model field accepts, `null` included, and is required unless the field has a
default or may be blank. A field that is added to a model becomes a key by its name in this module.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
)
from pydantic_core import PydanticCustomError

from comparisons.addresses import MAX_TOOLS
from comparisons.models import Comparison
from reviews.models import LONGEST_PHRASE, MAX_PHRASES, Reviewer, Take
from shipskip.catalogue.faults import quoted
from shipskip.search.models import Synonym
from shipskip.web.key_lists import KeyListField
from shipskip.web.slugs import MAX_LENGTH, slug_fault
from shipskip.web.text import validate_line
from tools.fact_values import DECIMAL_PLACES, LONGEST_TEXT, MAX_DIGITS
from tools.models import (
    LONGEST_CHOICE,
    LONGEST_CHOOSE_IF,
    MAX_CHOICES,
    Attribute,
    Category,
    Fact,
    Family,
    Plan,
    Tool,
)
from tools.source_names import without_tracking

FORMATS = ("shipskip-catalogue/1", "shipskip-catalogue/2", "shipskip-catalogue/3")
"""The formats that are read, oldest first; dumps are written in the last one."""
MAX_PARTS = 2_000
"""How many takes, facts or earlier slugs a tool may have, and categories an attribute."""
MAX_PLANS = 200

_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?P<zone>Z|[+-]\d\d:\d\d)?", re.ASCII
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_AMOUNT = re.compile(rf"-?\d{{1,{MAX_DIGITS - DECIMAL_PLACES}}}(?:\.\d{{1,{DECIMAL_PLACES}}})?")


def refusal(sentence: str) -> PydanticCustomError:
    """A fault with a sentence of its own."""
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence})


NOT_ACCEPTED = PydanticCustomError("not_accepted", "The value is not accepted.")
"""The fault of a value of another kind than the key's."""


def _moment(value: object) -> datetime | None:
    """A moment of JSON in UTC."""
    parts = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if not parts:
        raise NOT_ACCEPTED
    if not parts["zone"]:
        raise refusal(f"{quoted(value)} has no time zone; add Z for UTC, or an offset as +02:00")
    try:
        moment = datetime.fromisoformat(parts[0]).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise refusal(f"{quoted(value)} is not a valid date ({error})") from None
    if not 1 < moment.year < 9999:  # so that each time zone can show it
        raise refusal(f"{quoted(value)} is not a date of the years 2 to 9998")
    return moment


def _day(value: object) -> date:
    """A day of JSON."""
    if not (isinstance(value, str) and _DAY.fullmatch(value)):
        raise NOT_ACCEPTED
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise refusal(f"{quoted(value)} is not a valid date ({error})") from None


def _amount(value: object) -> Decimal:
    """An amount of money of JSON: a text, because a number may lose its last digit."""
    if not (isinstance(value, str) and _AMOUNT.fullmatch(value)):
        raise NOT_ACCEPTED
    if value.startswith("-"):
        raise refusal(f"{quoted(value)} is negative; write 0 or more, 0 is free")
    return Decimal(value)


def _slug(value: str) -> str:
    if fault := slug_fault(value):
        raise refusal(f"{quoted(value)} {fault}")
    return value


def _false(value: object) -> bool:
    if value is not False:
        raise NOT_ACCEPTED
    return False


def described(description: str, **schema: object) -> WithJsonSchema:
    """A JSON Schema, and the accepted values in words that follow “is not” or “give”."""
    return WithJsonSchema({**schema, "description": description})


SLUG = "an address of lowercase letters, digits and single hyphens"
Slug = Annotated[
    str, AfterValidator(_slug), described(SLUG, type="string", minLength=1, maxLength=MAX_LENGTH)
]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    described('a date and time such as "2026-05-01T09:00:00Z"', type="string", format="date-time"),
]
Day = Annotated[
    date,
    BeforeValidator(_day),
    described('a date such as "2026-11-20"', type="string", format="date"),
]
Amount = Annotated[
    Decimal,
    BeforeValidator(_amount),
    described(
        f'a text such as "20.00", with at most {MAX_DIGITS - DECIMAL_PLACES} digits and '
        f"{DECIMAL_PLACES} decimal places",
        type="string",
        pattern=rf"^\d{{1,{MAX_DIGITS - DECIMAL_PLACES}}}(\.\d{{1,{DECIMAL_PLACES}}})?$",
    ),
]
FactJson = Annotated[
    Any, WithJsonSchema({"description": "a value, or null where the maker does not say"})
]
"""The value of a fact; it is parsed when its attribute is known."""
NotApplicable = Annotated[
    bool,
    BeforeValidator(_false),
    described("false, for a question that does not apply; otherwise give its value", const=False),
]


class Entry(BaseModel):
    """An object of a document: exact types, and no other keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def validated(validate: Callable[[Any], object]) -> AfterValidator:
    """The same check by a function that raises Django's ValidationError."""

    def check(value: Any) -> Any:
        try:
            validate(value)
        except ValidationError as error:
            raise refusal(" ".join(error.messages)) from None
        return value

    return AfterValidator(check)


def _filled(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("blank", "The text is empty.")
    return value


def text_type(longest: int | None, *checks: AfterValidator, blank: bool) -> Any:
    """A text of limited length."""
    if not blank:
        checks = (AfterValidator(_filled), *checks)
    return Annotated[str, Field(min_length=0 if blank else 1, max_length=longest), *checks]


def _list(item: Any, most: int, described: str) -> Any:
    return Annotated[list[item], Field(max_length=most, description=described)]


def _texts(model: type[models.Model], name: str, longest: int, most: int) -> Any:
    """A list of short texts that a model field accepts."""
    column = model._meta.get_field(name)
    assert isinstance(column, models.Field)  # noqa: S101 - for the type checker
    texts = _list(text_type(longest, blank=False), most, "a list of texts")
    return Annotated[texts, validated(column.run_validators)]


def key_type(model: type[models.Model], name: str, *, empty_is_null: bool) -> Any:
    """The values that a model field accepts, null included."""
    column = model._meta.get_field(name)
    assert isinstance(column, models.Field)  # noqa: S101 - for the type checker
    check = validated(column.run_validators)
    type_: Any
    if name == "slug" or isinstance(column, models.ForeignKey):
        type_ = Slug
    elif column.choices:
        words = [str(value) for value, _ in column.flatchoices]
        type_ = Literal[(*words, *([""] if column.blank and not empty_is_null else []))]
    elif isinstance(column, models.BooleanField):
        type_ = bool
    elif isinstance(column, models.DateTimeField):
        type_ = Moment
    elif isinstance(column, models.DateField):
        type_ = Annotated[Day, check]
    elif isinstance(column, models.DecimalField):
        type_ = Annotated[Amount, check]
    elif isinstance(column, models.IntegerField):
        least, most = _bounds(column)
        type_ = Annotated[int, Field(ge=least, le=most)]
    else:
        type_ = text_type(column.max_length, check, blank=column.blank)
    return type_ | None if column.null or empty_is_null else type_


def _bounds(column: "models.IntegerField[Any, Any]") -> tuple[int, int]:
    """The strictest limits of both databases and the field's validators."""
    least, most = BaseDatabaseOperations.integer_field_ranges[column.get_internal_type()]
    for validator in column.validators:
        if isinstance(validator, MinValueValidator):
            least = max(least, validator.limit_value)
        if isinstance(validator, MaxValueValidator):
            most = min(most, validator.limit_value)
    return least, most


_RENAMED = {"published": "published_at", "checked": "checked_on"}
_RENAMED |= {"categories": "category_ids", "gone_from_source": "gone_from_source_on"}


class Kind:
    """One kind of entry: all that a reader, a comparison, a load and a dump need to know of it."""

    def __init__(
        self,
        model: type[models.Model],
        key: Sequence[str],
        keys: Sequence[str],
        *,
        label: str = "{slug}",
        types: Mapping[str, Any] | None = None,
        others: Mapping[str, tuple[Any, Any]] | None = None,
        properties: Mapping[str, tuple[str, str]] | None = None,
        required: Collection[str] = (),
        nulls: Collection[str] = (),
        since: Mapping[int, Sequence[str]] | None = None,
        place_in_list: str = "",
    ) -> None:
        """A kind with these keys, in the order of a dump; by those in `key` an entry finds its row.

        A key accepts what its model field does, or its type in `types`; `others` are the types and
        defaults of keys that are no column; `properties` the names of those that the model has as
        properties, and the lists whose slugs they hold. `required` may not be missing, whatever the
        field says; the empty text of `nulls` is null. `since` are the keys that format 1 lacks, by
        the number of their first format; `place_in_list` is a field that no key gives; `label`
        names an entry in a list of changes.
        """
        self.model, self.key, self.nulls, self.label = model, key, nulls, label
        self.name, self.title = _section(model), str(model._meta.verbose_name)
        self.since = {each: number for number, own in (since or {}).items() for each in own}
        self.fields = {place_in_list: place_in_list} if place_in_list else {}
        """The model field of each key that is a column."""
        self.references: dict[str, str] = {}
        """The list whose slugs stand in a key."""
        accepted = dict(others or {})
        for each in keys:
            if each in accepted:
                if properties and each in properties:
                    self.fields[each], self.references[each] = properties[each]
                continue
            column = model._meta.get_field(_RENAMED.get(each, each))
            assert isinstance(column, models.Field)  # noqa: S101 - for the type checker
            self.fields[each] = column.attname
            if isinstance(column, KeyListField):
                self.references[each] = _section(column.row_model)
            elif column.related_model:
                self.references[each] = _section(column.related_model)
            is_null, has_default = column.null or each in nulls, column.has_default()
            default = column.get_default() if has_default or not is_null else None
            is_optional = (column.blank or has_default) and each not in required
            own = key_type(model, column.name, empty_is_null=each in nulls)
            accepted[each] = ((types or {}).get(each, own), default if is_optional else ...)
        base = type("Entry", (Entry,), {"model_config": ConfigDict(title=self.title)})
        ordered: dict[str, Any] = {each: accepted[each] for each in keys}
        self.entry: type[Entry] = create_model(self.title.title(), __base__=base, **ordered)

    def identity(self, values: Mapping[str, Any]) -> Any:
        """What only one entry of a list may have, hashable; None if a part of it is missing or
        faulty.
        """
        own: tuple[Any, ...] = tuple(values.get(name) for name in self.key)
        if None in own:
            return None
        if self.model is Synonym:
            return Synonym.key_of(str(own[0])) or None
        return frozenset(own[0]) if self.model is Comparison else own

    def label_of(self, values: Mapping[str, Any], tool: str = "") -> str:
        """The name of an entry in the list of changes; `tool` is the slug of its tool."""
        given = {key: values[key] for key in self.key} | {"tool": tool}
        if self.model is Comparison:
            given["tools"] = " vs ".join(given["tools"])
        return self.label.format(**given)


def _section(model: type[models.Model]) -> str:
    return str(model._meta.verbose_name_plural)


def source_type(model: type[models.Model], name: str) -> Any:
    """An address of a source, from which tracking is removed."""
    return Annotated[key_type(model, name, empty_is_null=False), AfterValidator(without_tracking)]


_PHRASES = _texts(Reviewer, "likes", LONGEST_PHRASE, MAX_PHRASES)
_CHOOSE_IF: Any = text_type(LONGEST_CHOOSE_IF, validated(validate_line), blank=False)
_CHOOSE_IFS = "an object of texts, with slugs of the comparison’s tools as keys"
_TOOLS = f"a list of 2 to {MAX_TOOLS} different tools’ slugs"

CATEGORY = Kind(Category, ["slug"], ["slug", "name", "description", "published"])
REVIEWER = Kind(
    Reviewer,
    ["slug"],
    [
        *("slug", "name", "motto", "bio", "likes", "dislikes", "position"),
        *("sign", "tint", "published"),
    ],
    types={"likes": _PHRASES, "dislikes": _PHRASES},
    since={3: ["sign", "tint"]},
)
ATTRIBUTE = Kind(
    Attribute,
    ["slug"],
    [
        *("slug", "name", "group", "kind", "unit", "better", "choices", "categories"),
        *("help", "position"),
    ],
    types={
        "choices": _texts(Attribute, "choices", LONGEST_CHOICE, MAX_CHOICES),
        "categories": _list(Slug, MAX_PARTS, "a list of categories’ slugs"),
    },
    nulls=["better"],
)
FAMILY = Kind(Family, ["slug"], ["slug", "name"])
TAKE = Kind(
    Take,
    ["reviewer"],
    ["reviewer", "score", "verdict", "basis", "because", "held", "body", "published"],
    nulls=["verdict"],
    since={2: ["basis"], 3: ["because", "held"]},
    label="{reviewer} on {tool}",
)
FACT = Kind(
    Fact,
    ["attribute"],
    [
        *("attribute", "value", "applies", "note", "note_only_explains", "source", "quote"),
        *("checked", "unconfirmed"),
    ],
    types={"source": source_type(Fact, "source")},
    others={"value": (FactJson, None), "applies": (NotApplicable, None)},
    since={3: ["note_only_explains", "quote", "unconfirmed"]},
    label="{attribute} of {tool}",
)
PLAN = Kind(
    Plan,
    ["name", "currency", "per"],
    [
        *("name", "amount", "currency", "per", "per_user", "note", "source", "quote", "checked"),
        "unconfirmed",
    ],
    types={"source": source_type(Plan, "source")},
    required=["currency"],
    since={3: ["quote", "unconfirmed"]},
    place_in_list="position",
    label="{name}, {currency} per {per}, of {tool}",
)
PARTS = {kind.name: kind for kind in (TAKE, FACT, PLAN)}
"""The lists of a tool."""
TOOL = Kind(
    Tool,
    ["slug"],
    [
        *("slug", "name", "category", "maker", "website", "tagline", "description", "best_for"),
        *("entry", "pricing", "license", "published", "takes", "label", "family"),
        *("former_slugs", "choose_if", "status", "status_on", "status_source", "status_note"),
        *("relation", "source_id", "gone_from_source", "facts", "plans"),
    ],
    types={"status_source": source_type(Tool, "status_source")},
    others={
        "license": (text_type(LONGEST_TEXT, validated(validate_line), blank=True), ""),
        "takes": (_list(TAKE.entry, MAX_PARTS, "a list of takes"), []),
        "former_slugs": (_list(Slug, MAX_PARTS, "a list of earlier slugs"), []),
        "facts": (_list(FACT.entry, MAX_PARTS, "a list of facts"), []),
        "plans": (_list(PLAN.entry, MAX_PLANS, "a list of plans"), []),
    },
    since={
        2: ["label", "family", "former_slugs", "choose_if", "facts", "plans"],
        3: [
            *("status", "status_on", "status_source", "status_note", "relation"),
            *("source_id", "gone_from_source"),
        ],
    },
)
COMPARISON = Kind(
    Comparison,
    ["tools"],
    ["tools", "choose_if", "summary", "featured", "published"],
    others={
        "tools": (
            Annotated[list[Slug], Field(min_length=2, max_length=MAX_TOOLS, description=_TOOLS)],
            ...,
        ),
        "choose_if": (Annotated[dict[str, _CHOOSE_IF], Field(description=_CHOOSE_IFS)], {}),
    },
    properties={"tools": ("tool_ids", "tools"), "choose_if": ("choose_if", "tools")},
    since={2: ["choose_if"]},
    label="{tools}",
)
SYNONYM = Kind(Synonym, ["word"], ["word", "means"], label="{word}")

SECTIONS = {
    kind.name: kind for kind in (CATEGORY, REVIEWER, ATTRIBUTE, FAMILY, TOOL, COMPARISON, SYNONYM)
}
"""The document's lists, in the order of a dump and of a load."""
KINDS = {
    **dict(list(SECTIONS.items())[:5]), **PARTS, **dict(list(SECTIONS.items())[5:])
}  # fmt: skip
"""All kinds, in the order in which they are written and counted."""
IMPORTED_FROM = "imported_from"
"""The key of a document of open data; its value is the name of the source."""
IMPORTED_SINCE = 3
"""The number of the first format that has it."""
SECTIONS_SINCE = {"attributes": 2, "families": 2, "synonyms": 2}
"""The number of the first format of each list that format 1 lacks."""

_SOURCE_NAME: Any = Annotated[
    str,
    Field(pattern=r"^[a-z0-9.-]{1,60}$"),
    described("the name of a source such as models.dev", type="string"),
]

Catalogue: type[Entry] = create_model(
    "Catalogue",
    __base__=type("Catalogue", (Entry,), {"model_config": ConfigDict(title="catalogue")}),
    format=(Literal[FORMATS], ...),
    **{IMPORTED_FROM: (_SOURCE_NAME, None)},
    **{
        name: (
            Annotated[list[kind.entry], Field(description="a list of entries")],  # type: ignore[name-defined]
            Field(default_factory=list),
        )
        for name, kind in SECTIONS.items()
    },  # type: ignore[call-overload]
)  # fmt: skip
"""The whole document."""
