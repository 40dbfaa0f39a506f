"""The facts and plans of tools as rows of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import cached_property

from shipskip.content.records import Attribute, Fact, FullTool, Plan, Sourced
from tools.fact_rows import (
    MISSING,
    UNASKED,
    AnswerCell,
    RowGroup,
    ShownAnswer,
    SourceGroup,
    TableRow,
    is_stated,
    numbered_sources,
)
from tools.fact_values import NOT_APPLICABLE, AttributeKind, Value, in_words, places_of_best
from tools.tool_status import WARNED_OF

DEFAULT_GROUP = "About"
"""The group of attributes without a group of their own."""


MAX_PRICED = 3
"""Maximum number of tools whose plans a phone shows at first."""


@dataclass(frozen=True)
class FactSheet:
    """What some tools state, in the order of all attributes."""

    tools: Sequence[FullTool]
    all_attributes: Sequence[Attribute]
    now: datetime

    @cached_property
    def attributes(self) -> list[Attribute]:
        """The attributes that any of the tools answers, in order."""
        answered = {key for tool in self.tools for key in tool.facts}
        return [row for row in self.all_attributes if row.pk in answered]

    def groups(self, *, with_inapplicable: bool = False) -> dict[str, list[TableRow[AnswerCell]]]:
        """Rows by the name of their group, in the order of the attributes: one for each attribute
        that applies to at least one of the tools that answer it, or with `with_inapplicable` to
        none.
        """
        found: dict[str, list[TableRow[AnswerCell]]] = {}
        facts = (fact for tool in self.tools for fact in tool.facts.values())
        applying = {fact.attribute.pk for fact in facts if fact.applies}
        for each in self.attributes:
            if with_inapplicable or each.pk in applying:
                found.setdefault(each.group or DEFAULT_GROUP, []).append(self._row(each))
        others = found.pop(DEFAULT_GROUP, [])
        return found | {DEFAULT_GROUP: others} if others else found

    def only(self) -> list[tuple[FullTool, list[str]]]:
        """Features that only one of the tools has: each such tool with the names of the `yes-no`
        attributes that it answers with yes and every other tool with no.
        """
        found: dict[int, list[str]] = {}
        for attribute in self.attributes:
            if attribute.kind == AttributeKind.YES_NO:
                answers = {tool.pk: _value(tool, attribute) for tool in self.tools}
                having = [key for key, value in answers.items() if value is True]
                if len(having) == 1 and list(answers.values()).count(False) == len(answers) - 1:
                    found.setdefault(having[0], []).append(within_sentence(attribute.name))
        return [(tool, found[tool.pk]) for tool in self.tools if tool.pk in found]

    def status(self) -> TableRow[AnswerCell]:
        """Whether each tool is maintained; essential if one is not. Tools of one status differ in
        its day at most, so a phone shows their row on demand.
        """
        statuses = {tool.status for tool in self.tools}
        is_warned_of = not statuses.isdisjoint(WARNED_OF)
        return TableRow(
            "Status",
            [_status(tool) for tool in self.tools],
            about="status",
            is_essential=is_warned_of,
            is_repeated=len(statuses) == 1 and not is_warned_of,
        )

    def prices(self, *, with_words: bool = False) -> list[TableRow[AnswerCell]]:
        """What it costs to start, and all plans; without plans, the price in the maker's words.
        `with_words` adds the price in words to plans too. On a phone the plans of many tools are
        shown on demand.
        """
        entries = [(ShownAnswer(tool.price),) for tool in self.tools]
        plans = [_plans(tool, with_words=with_words) for tool in self.tools]
        has_plans = any(tool.plans for tool in self.tools)
        few = len(self.tools) <= MAX_PRICED
        return [
            TableRow(
                "Entry price", entries, about="price", is_repeated=not has_plans, is_essential=True
            ),
            TableRow(
                "Pricing", plans, about="price", is_essential=few, is_repeated=not few and has_plans
            ),
        ]

    def _row(self, attribute: Attribute) -> TableRow[AnswerCell]:
        facts = [tool.facts.get(attribute.pk) for tool in self.tools]
        leaders = _leaders(facts, attribute)
        cells = [
            (_answer(fact, attribute, tool, is_best=place in leaders),)
            for place, (fact, tool) in enumerate(zip(facts, self.tools, strict=True))
        ]
        return TableRow(attribute.name, cells, help=attribute.help, about=f"fact-{attribute.slug}")


def text_row(
    label: str, texts: Sequence[str], *, is_repeated: bool = False
) -> TableRow[AnswerCell]:
    """A row of texts that editors wrote, one for each tool; an empty one is not recorded."""
    cells = [(ShownAnswer(text) if text else MISSING,) for text in texts]
    return TableRow(label, cells, is_repeated=is_repeated)


@dataclass(frozen=True)
class Profile:
    """The facts and prices of one tool, in groups, with their sources, and the names of the
    attributes of its category that have no answer.
    """

    groups: Sequence[RowGroup]
    sources: Sequence[SourceGroup]
    missing: Sequence[str]


def profile(tool: FullTool, attributes: Sequence[Attribute], now: datetime) -> Profile:
    """Facts and prices of one tool; `attributes` are all that there are."""
    sheet = FactSheet([tool], attributes, now)
    parts = {"Prices": sheet.prices(with_words=True), **sheet.groups(with_inapplicable=True)}
    if is_stated(status := sheet.status()):
        parts[DEFAULT_GROUP] = [status, *parts.get(DEFAULT_GROUP, [])]
    groups = [RowGroup(name, rows) for name, rows in parts.items()]
    asked = [row for row in attributes if row.is_asked_in(tool.category.pk)]
    missing = [row.name for row in asked if row.pk not in tool.facts]
    return Profile(groups, numbered_sources(groups, [tool.title], now), missing)


def _value(tool: FullTool, attribute: Attribute) -> Value:
    fact = tool.facts.get(attribute.pk)
    return fact.value if fact else None


def _status(tool: FullTool) -> AnswerCell:
    if not tool.status_words:
        return (MISSING,)
    origin = Sourced(tool.status_note, tool.status_source, "", tool.status_on)
    return (ShownAnswer(tool.status_words, note=tool.status_note, origin=origin),)


def _leaders(facts: Sequence[Fact | None], attribute: Attribute) -> set[int]:
    """The places of the facts with the best number; empty if a note limits one of the numbers."""
    if not attribute.better:
        return set()
    numbers = [fact.number if fact else None for fact in facts]
    if any(fact and fact.number is not None and fact.limit for fact in facts):
        return set()
    return places_of_best(numbers, attribute.better)


def _plans(tool: FullTool, *, with_words: bool) -> AnswerCell:
    plans = [ShownAnswer(_with_name(plan), note=plan.note, origin=plan) for plan in tool.plans]
    if tool.pricing and (with_words or not plans):
        plans.append(ShownAnswer(tool.pricing))
    return tuple(plans) or (MISSING,)


def _answer(
    fact: Fact | None, attribute: Attribute, tool: FullTool, *, is_best: bool
) -> ShownAnswer:
    if fact is None:
        return MISSING if attribute.is_asked_in(tool.category.pk) else UNASKED
    value = fact.value
    if isinstance(value, list):
        value = [choice for choice in attribute.choices if choice in value] or value
    words = _words(value, attribute) if fact.applies else NOT_APPLICABLE
    return ShownAnswer(
        words,
        value is not None,
        limit=fact.limit,
        note=fact.note,
        origin=fact,
        is_best=is_best,
    )


def _words(value: Value, attribute: Attribute) -> str:
    """The value with its unit; without it if the name ends with the unit (“Greatest dimensions:
    4,096” needs none).
    """
    words, (name, unit) = in_words(value, attribute.unit), (attribute.name, attribute.unit)
    is_said = f" {name}".casefold().endswith(f" {unit}".casefold())
    return words.removesuffix(f" {unit}") if is_said else words


def _with_name(plan: Plan) -> str:
    """`Pro: $20 per month`; only `Free` for a free plan called “Free”."""
    return plan.price if plan.name == plan.price else f"{plan.name}: {plan.price}"


def within_sentence(name: str) -> str:
    """A name in the middle of a sentence, in lower case; `OpenAI-compatible API` and `GPU` stay."""
    first = name.partition(" ")[0]
    return name if first[1:] != first[1:].lower() else name[:1].lower() + name[1:]
