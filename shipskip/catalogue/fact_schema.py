"""The keys of attributes, families, facts and plans; each needs the rest of the document too."""

from dataclasses import dataclass, replace

from shipskip.catalogue.entry_parsers import (
    EntryKey,
    EntryListParser,
    EntryParser,
    EntryRow,
    key_of,
    keys_of,
    web_address,
)
from shipskip.catalogue.faults import Fault, Json, key_place, quoted
from shipskip.catalogue.value_parsers import (
    AmountParser,
    ChoiceParser,
    DateParser,
    NullableParser,
    PhraseListParser,
    SlugListParser,
    TextParser,
)
from tools.fact_values import Better
from tools.models import LONGEST_CHOICE, Attribute, Fact, Family, Plan
from tools.models.sources import Sourced, latest_day

MAX_PLANS = 200
LONGEST_CODE = 40
"""The limit for the text of a currency; longer than a code, so that messages quote a wrong one."""


@dataclass(frozen=True)
class AnyValueParser:
    """A value of any kind; it is parsed later, when its attribute is known."""

    accepted: str = "a value, or null where the maker does not say"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> Json:
        """The value as it is."""
        return value


@dataclass(frozen=True)
class NotApplicableParser:
    """False, for a question that does not apply."""

    accepted: str = "false, for a question that does not apply; otherwise give its value"

    def parse(self, value: Json, place: str, faults: list[Fault]) -> bool | None:
        """False."""
        if value is False:
            return False
        faults.append(Fault(place, f"{quoted(value)} is not {self.accepted}"))
        return None


def _sourced(model: type[Sourced]) -> dict[str, EntryKey]:
    day = DateParser(latest_day, 'a date such as "2026-11-20", or null where none is known')
    return (
        keys_of(model, "note")
        | {"source": key_of(model, "source", web_address(model, "source"))}
        | {"checked": key_of(model, "checked_on", NullableParser(day, None))}
    )


def _required(model: type[Plan], name: str, parser: TextParser | AmountParser) -> EntryKey:
    return replace(key_of(model, name, parser), required=True)


def _choices() -> PhraseListParser:
    field = Attribute._meta.get_field("choices")
    return PhraseListParser(TextParser(LONGEST_CHOICE, may_be_empty=False), field.run_validators)


def _currency() -> TextParser:
    field = Plan._meta.get_field("currency")
    return TextParser(LONGEST_CODE, may_be_empty=False, check=field.run_validators)


ATTRIBUTE = EntryParser(
    "an attribute",
    keys_of(Attribute, "slug", "name", "group", "kind", "unit")
    | {
        "better": key_of(Attribute, "better", NullableParser(ChoiceParser(Better.values), "")),
        "choices": key_of(Attribute, "choices", _choices()),
        "categories": EntryKey(
            "categories", SlugListParser("a list of categories’ slugs"), required=False
        ),
    }
    | keys_of(Attribute, "help", "position"),
)
FAMILY = EntryParser("a family", keys_of(Family, "slug", "name"))
FACT = EntryParser(
    "a fact",
    keys_of(Fact, "attribute")
    | {
        "value": EntryKey("value", AnyValueParser(), required=False),
        "applies": EntryKey("applies", NotApplicableParser(), required=False),
    }
    | _sourced(Fact),
)
PLAN = EntryParser(
    "a plan",
    keys_of(Plan, "name")
    | {
        "amount": _required(Plan, "amount", AmountParser()),
        "currency": _required(Plan, "currency", _currency()),
    }
    | keys_of(Plan, "per", "per_user")
    | _sourced(Plan),
)


def facts() -> EntryKey:
    """The key of a tool's facts."""
    parser = EntryListParser(FACT, ("attribute",), "a list of facts", _check_answer)
    return EntryKey("facts", parser, required=False)


def plans() -> EntryKey:
    """The key of a tool's plans, in the order of the list."""
    once = ("name", "currency", "per")
    parser = EntryListParser(PLAN, once, "a list of plans", most=MAX_PLANS)
    return EntryKey("plans", parser, required=False)


def _check_answer(row: EntryRow, entry: dict[str, Json], place: str, faults: list[Fault]) -> None:
    """Require exactly one of `value` and `"applies": false`."""
    if "value" not in entry and "applies" not in entry:
        message = 'is missing; give it, null where the maker does not say, or "applies": false'
        faults.append(Fault(key_place(place, "value"), message))
    elif "value" in entry and "applies" in entry:
        faults.append(Fault(key_place(place, "applies"), "is given with “value”; keep one of them"))
