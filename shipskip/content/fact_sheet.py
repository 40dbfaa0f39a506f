"""The facts and plans of tools, loaded in three queries, as rows of a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from shipskip.web.publishing import ALWAYS
from tools.fact_rows import (
    INAPPLICABLE,
    MISSING,
    AnswerCell,
    RowGroup,
    ShownAnswer,
    Source,
    SourceList,
    TableRow,
    is_stated,
)
from tools.fact_values import NOT_APPLICABLE, AttributeKind, Value, in_words, places_of_best
from tools.models import Attribute, EntryPrice, Fact, Plan, Tool, entry_price

DEFAULT_GROUP = "About"
"""The group of attributes without a group of their own."""


@dataclass(frozen=True)
class FactSheet:
    """The facts and plans of some tools, and the attributes that they answer, in order."""

    now: datetime
    attributes: Sequence[Attribute] = ()
    facts: Mapping[tuple[int, int], Fact] = field(default_factory=dict)
    """By the primary keys of tool and attribute."""
    plans: Mapping[int, Sequence[Plan]] = field(default_factory=dict)
    """By the primary key of the tool."""

    def groups(
        self, tools: Sequence[Tool], *, with_inapplicable: bool = False
    ) -> dict[str, list[TableRow[AnswerCell]]]:
        """Rows by the name of their group, in the order of the attributes: one for each attribute
        that applies to at least one of the tools that answer it, or with `with_inapplicable` to
        none. The tools' licence is in the last group, unless there is an attribute for it.
        """
        found: dict[str, list[TableRow[AnswerCell]]] = {}
        applying = {fact.attribute_id for fact in self.facts.values() if fact.applies}
        for each in self.attributes:
            if with_inapplicable or each.pk in applying:
                found.setdefault(each.group or DEFAULT_GROUP, []).append(self._row(each, tools))
        licence = text_row("Licence", [tool.license for tool in tools])
        others = found.pop(DEFAULT_GROUP, [])
        if is_stated(licence) and licence.label not in {row.name for row in self.attributes}:
            others = [licence, *others]
        return found | {DEFAULT_GROUP: others} if others else found

    def only(self, tools: Sequence[Tool]) -> list[tuple[Tool, list[str]]]:
        """Features that only one of the tools has: each such tool with the names of the `yes-no`
        attributes that it answers with yes and every other tool with no.
        """
        found: dict[int, list[str]] = {}
        for attribute in self.attributes:
            if attribute.kind == AttributeKind.YES_NO:
                answers = {tool.pk: self._fact_value(tool, attribute) for tool in tools}
                having = [key for key, value in answers.items() if value is True]
                if len(having) == 1 and list(answers.values()).count(False) == len(tools) - 1:
                    found.setdefault(having[0], []).append(within_sentence(attribute.name))
        return [(tool, found[tool.pk]) for tool in tools if tool.pk in found]

    def prices(
        self, tools: Sequence[Tool], *, with_words: bool = False
    ) -> list[TableRow[AnswerCell]]:
        """The cheapest plan, and all plans; without plans, the entry price and the price in words.
        `with_words` adds the price in words to plans too.
        """
        entries = [(self._entry(tool),) for tool in tools]
        plans = [self._plans(tool, with_words=with_words) for tool in tools]
        return [
            TableRow("Entry price", entries, is_repeated=not self.plans, is_essential=True),
            TableRow("Pricing", plans, is_essential=True),
        ]

    def _fact_value(self, tool: Tool, attribute: Attribute) -> Value:
        fact = self.facts.get((tool.pk, attribute.pk))
        return fact.value if fact else None

    def _row(self, attribute: Attribute, tools: Sequence[Tool]) -> TableRow[AnswerCell]:
        facts = [self.facts.get((tool.pk, attribute.pk)) for tool in tools]
        leaders = places_of_best(
            [fact.number if fact else None for fact in facts], attribute.better
        )
        cells = [
            (_answer(fact, attribute, tool, is_best=at in leaders),)
            for at, (fact, tool) in enumerate(zip(facts, tools, strict=True))
        ]
        return TableRow(attribute.name, cells, help=attribute.help)

    def _entry(self, tool: Tool) -> ShownAnswer:
        plans = self.plans.get(tool.pk, ())
        entry = entry_price(plan.amount for plan in plans) or EntryPrice(tool.entry)
        ways = cheapest(plans)
        if not ways:
            return ShownAnswer(entry.label)
        start = "from" if entry == EntryPrice.PAID else "paid from"
        return ShownAnswer(f"{entry.label}, {start} {ways[0].price}")

    def _plans(self, tool: Tool, *, with_words: bool) -> AnswerCell:
        plans = [
            ShownAnswer(_with_name(plan), note=plan.note, origin=plan)
            for plan in self.plans.get(tool.pk, ())
        ]
        if tool.pricing and (with_words or not plans):
            plans.append(ShownAnswer(tool.pricing))
        return tuple(plans) or (MISSING,)


NOTHING_STATED = FactSheet(ALWAYS)


def text_row(
    label: str, texts: Sequence[str], *, is_repeated: bool = False
) -> TableRow[AnswerCell]:
    """A row of texts that editors wrote, one for each tool; an empty one is not stated."""
    cells = [(ShownAnswer(text) if text else MISSING,) for text in texts]
    return TableRow(label, cells, is_repeated=is_repeated)


def fact_sheet(tools: Sequence[Tool], now: datetime) -> FactSheet:
    """Load the facts and plans of these tools; always three queries."""
    rows = Fact.objects.on(tools).order_by()
    facts = {(fact.tool_id, fact.attribute_id): fact for fact in rows}
    attributes = Attribute.objects.filter(pk__in={attribute for _, attribute in facts})
    plans: dict[int, list[Plan]] = {}
    for plan in Plan.objects.on(tools).order_by("position", "pk"):
        plans.setdefault(plan.tool_id, []).append(plan)
    return FactSheet(now, list(attributes), facts, plans)


@dataclass(frozen=True)
class Profile:
    """The facts and prices of one tool, in groups, with their sources, and the names of the
    attributes of its category that have no answer.
    """

    groups: Sequence[RowGroup]
    sources: Sequence[Source]
    missing: Sequence[str]


def profile(tool: Tool, now: datetime) -> Profile:
    """Facts and prices of one tool; four queries."""
    sheet = fact_sheet([tool], now)
    sources = SourceList(now)
    parts = {
        "Prices": sheet.prices([tool], with_words=True),
        **sheet.groups([tool], with_inapplicable=True),
    }
    groups = [
        RowGroup(name, [sources.numbered(row, [tool.title]) for row in rows])
        for name, rows in parts.items()
    ]
    known = {attribute.pk for attribute in sheet.attributes}
    asked = Attribute.objects.asked_in([tool.category_id])
    missing = [attribute.name for attribute in asked if attribute.pk not in known]
    return Profile(groups, sources.entries, missing)


def cheapest(plans: Iterable[Plan]) -> list[Plan]:
    """The cheapest plan above 0 for each currency and period, since currencies are not compared; a
    price per year is left out if the same currency has one per month.
    """
    found: dict[tuple[str, str], Plan] = {}
    for plan in plans:
        place = plan.currency, plan.per
        if plan.amount and (place not in found or plan.amount < found[place].amount):
            found[place] = plan
    return [
        plan
        for (currency, per), plan in found.items()
        if per != "year" or (currency, "month") not in found
    ]


def _answer(fact: Fact | None, attribute: Attribute, tool: Tool, *, is_best: bool) -> ShownAnswer:
    if fact is None:
        is_asked = attribute.is_asked_in(tool.category_id)
        return MISSING if is_asked else INAPPLICABLE
    value = fact.value
    if isinstance(value, list):
        value = [choice for choice in attribute.choices if choice in value] or value
    words = in_words(value, _unit_beside(attribute)) if fact.applies else NOT_APPLICABLE
    return ShownAnswer(words, value is not None, fact.note, fact, is_best)


def _unit_beside(attribute: Attribute) -> str:
    """The unit; empty if the name ends with it (“Greatest dimensions: 4,096” needs no unit)."""
    name, unit = attribute.name.casefold(), attribute.unit.casefold()
    return "" if f" {name}".endswith(f" {unit}") else attribute.unit


def _with_name(plan: Plan) -> str:
    """`Pro: $20 per month`; only `Free` for a free plan called “Free”."""
    return plan.price if plan.name == plan.price else f"{plan.name}: {plan.price}"


def within_sentence(name: str) -> str:
    """A name in the middle of a sentence, in lower case; `OpenAI-compatible API` and `GPU` stay."""
    first = name.partition(" ")[0]
    return name if first[1:] != first[1:].lower() else name[:1].lower() + name[1:]
