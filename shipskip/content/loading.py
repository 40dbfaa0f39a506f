"""Read rows of the database into dataclasses: whole lists of tools, and single tools in full.

A page and its preview differ only in the rows that are read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple, TypeVar

from django.db.models import Max, QuerySet, TextField
from django.db.models.functions import Cast

from comparisons.models import ComparisonQuerySet
from reviews.models import TakeChange as TakeChangeRow
from reviews.models import TakeChangeQuerySet, TakeQuerySet
from reviews.models import Voiding as VoidingRow
from shipskip.content.records import (
    Attribute,
    Category,
    Comparison,
    Fact,
    FactChange,
    Family,
    FullTake,
    FullTool,
    Plan,
    PublicChange,
    Reviewer,
    Take,
    TakeChange,
    Tool,
    Voiding,
)
from tools.models import Fact as FactRow
from tools.models import FactChange as FactChangeRow
from tools.models import (
    FormerSlug,
    PlanQuerySet,
    ToolQuerySet,
    cheapest,
    entry_price,
    monthly_prices,
    price_in_words,
)
from tools.models import Plan as PlanRow
from tools.models import Tool as ToolRow

R = TypeVar("R")


@dataclass(frozen=True)
class Known:
    """The few rows that tools refer to, by primary key and in order."""

    categories: Mapping[int, Category]
    reviewers: Mapping[int, Reviewer]
    attributes: Mapping[int, Attribute]
    families: Mapping[int, Family]


def rows_as(record: type[R], rows: QuerySet[Any]) -> dict[int, R]:
    """Rows as dataclasses that have nothing but columns, by primary key; one query."""
    columns = [field.name for field in fields(record)]  # type: ignore[arg-type]
    return {values[0]: record(*values) for values in rows.values_list(*columns)}


def tools(rows: ToolQuerySet, takes: TakeQuerySet, plans: PlanQuerySet, known: Known) -> list[Tool]:
    """These tools, unordered, with those of the takes and plans that are on them; three queries.

    A tool whose category is unknown is left out, and so is a take by an unknown reviewer.
    """
    columns = ("pk", "slug", "name", "label", "tagline", "maker", "category_id", "family_id")
    state = ("entry", "status", "status_on", "moment")
    found = list(_with_moment(rows.order_by()).values_list(*columns, *state))
    named = Counter(row[2].lower() for row in found)
    panels, prices = _takes(takes, known), _prices(plans)
    tools = []
    for pk, slug, name, label, tagline, maker, category, family, *state in found:
        if category not in known.categories:
            continue
        entry, status, status_on, published = state
        tool = Tool(
            pk=pk,
            slug=slug,
            name=name,
            label=label,
            shares_name=named[name.lower()] > 1,
            tagline=tagline,
            maker=maker,
            category=known.categories[category],
            family=known.families.get(family) if family else None,
            entry=prices[pk].entry if pk in prices else entry,
            cheapest_plan=prices[pk].cheapest if pk in prices else "",
            monthly_prices=prices[pk].monthly if pk in prices else {},
            status=status,
            status_on=status_on,
            published_at=_moment(published),
            takes=panels.get(pk, ()),
        )
        tools.append(tool)
    return tools


def _takes(takes: TakeQuerySet, known: Known) -> dict[int, list[Take]]:
    """The scores by tool, in panel order; one query."""
    columns = ("pk", "tool_id", "reviewer_id", "score", "verdict", "moment", "basis")
    found: dict[int, list[Take]] = {}
    reviewers = known.reviewers
    for pk, tool, by, score, verdict, moment, basis in (
        _with_moment(takes.order_by()).values_list(*columns).iterator(chunk_size=5_000)
    ):
        if by in reviewers:
            # SQLite makes a text of its own for each row; interned, equal ones are one.
            texts = intern(verdict), _moment(moment), intern(basis)
            take = Take(pk, tool, reviewers[by], score, *texts)
            found.setdefault(tool, []).append(take)
    for panel in found.values():
        panel.sort(key=_panel_order)
    return found


def _panel_order(take: Take) -> tuple[int, str]:
    return take.reviewer.panel_order


class _Price(NamedTuple):
    amount: Decimal
    currency: str
    per: str
    per_user: bool


class _Prices(NamedTuple):
    """What follows from the plans of a tool."""

    entry: str
    cheapest: str
    """The cheapest price above 0 in words; empty without one."""
    monthly: Mapping[str, Decimal]
    """The lowest price a month above 0 by currency."""


def _prices(plans: PlanQuerySet) -> dict[int, _Prices]:
    """What follows from the plans of each tool that has some; one query."""
    amount = Cast("amount", TextField())  # Django needs four microseconds for each number
    rows = plans.order_by("tool_id", "position", "pk").annotate(text=amount)
    columns = rows.values_list("tool_id", "text", "currency", "per", "per_user")
    found = {}
    for tool, group in groupby(columns, key=itemgetter(0)):
        prices = [_Price(_number(row[1]), *row[2:]) for row in group]
        price, entry = cheapest(prices), entry_price(prices)
        found[tool] = _Prices(
            entry or "", _price_in_words(price) if price else "", monthly_prices(prices)
        )
    return found


_number = lru_cache(maxsize=1_000)(Decimal)


@lru_cache(maxsize=1_000)
def _price_in_words(price: _Price) -> str:
    return price_in_words(price.amount, price.currency, price.per, per_user=price.per_user)


def full_tools(tools: Sequence[Tool], takes: TakeQuerySet, known: Known) -> list[FullTool]:
    """These tools in full, with those of `takes` on them; seven queries for any number of tools."""
    keys = [tool.pk for tool in tools]
    about = ("website", "description", "best_for", "choose_if", "pricing")
    texts = (*about, "status_source", "status_note", "relation")
    rows = ToolRow.everything.filter(pk__in=keys).order_by().values_list("pk", *texts)
    texts_of = {pk: dict(zip(texts, values, strict=True)) for pk, *values in rows}
    panels, facts = _full_takes(keys, takes, known), _facts(keys, known)
    plans, changes = _plans(keys), _changes(keys, known)
    return [
        FullTool(
            **{field.name: getattr(tool, field.name) for field in fields(Tool)}
            | texts_of[tool.pk]
            | {
                "takes": panels.get(tool.pk, ()),
                "facts": facts.get(tool.pk, {}),
                "plans": plans.get(tool.pk, ()),
                "changes": changes.get(tool.pk, ()),
            }
        )
        for tool in tools
        if tool.pk in texts_of
    ]


def _full_takes(
    keys: Sequence[int], takes: TakeQuerySet, known: Known
) -> dict[int, list[FullTake]]:
    columns = ("pk", "tool_id", "reviewer_id", "score", "verdict", "published_at", "basis")
    found: dict[int, list[FullTake]] = {}
    for pk, tool, by, *values in (
        takes.filter(tool__in=keys).order_by().values_list(*columns, "because", "body")
    ):
        if by in known.reviewers:
            found.setdefault(tool, []).append(FullTake(pk, tool, known.reviewers[by], *values))
    for panel in found.values():
        panel.sort(key=_panel_order)
    return found


def _facts(keys: Sequence[int], known: Known) -> dict[int, dict[int, Fact]]:
    """The facts by tool and attribute, in the order of the attributes."""
    rows = FactRow.objects.filter(tool__in=keys).order_by()
    by_place = {(row.tool_id, row.attribute_id): row for row in rows}
    found: dict[int, dict[int, Fact]] = {}
    for pk, attribute in known.attributes.items():
        for key in keys:
            if row := by_place.get((key, pk)):
                found.setdefault(key, {})[pk] = Fact(
                    note=row.note,
                    source=row.source,
                    quote=row.quote,
                    checked_on=row.checked_on,
                    attribute=attribute,
                    value=row.value,
                    applies=row.applies,
                    note_only_explains=row.note_only_explains,
                    unconfirmed=row.unconfirmed,
                )
    return found


def _plans(keys: Sequence[int]) -> dict[int, list[Plan]]:
    rows = PlanRow.objects.filter(tool__in=keys).order_by("position", "pk")
    found: dict[int, list[Plan]] = {}
    for row in rows:
        plan = Plan(
            *(row.note, row.source, row.quote, row.checked_on, row.name),
            *(row.price, row.amount, row.currency, row.per),
            unconfirmed=row.unconfirmed,
        )
        found.setdefault(row.tool_id, []).append(plan)
    return found


def _changes(keys: Sequence[int], known: Known) -> dict[int, list[PublicChange]]:
    """The public record of these tools, newest first; of one moment first the facts."""
    found: dict[int, list[PublicChange]] = {}
    of_facts = FactChangeRow.objects.filter(tool__in=keys).order_by("-at", "-pk")
    own = ("tool_id", "pk", "at", "undone_at", "correction")
    for row in of_facts.values_list(*own, "subject", "before", "after"):
        found.setdefault(row[0], []).append(FactChange(*row[1:]))
    of_takes = TakeChangeRow.objects.filter(tool__in=keys).order_by("-at", "-pk")
    for tool, change in take_changes(of_takes, known):
        found.setdefault(tool, []).append(change)
    voidings = VoidingRow.objects.filter(tool__in=keys, is_listed=True).order_by("-pk")
    moments = ("since", "until", "undone_at")
    for row in voidings.values_list("tool_id", "pk", "voided_at", "votes", "reason", *moments):
        found.setdefault(row[0], []).append(Voiding(*row[1:]))
    for record in found.values():
        record.sort(key=lambda change: change.at, reverse=True)
    return found


def take_changes(rows: TakeChangeQuerySet, known: Known) -> list[tuple[int, TakeChange]]:
    """Those of these changes that are by known reviewers, in their order, each with its tool's
    primary key; one query.
    """
    own = ("tool_id", "reviewer_id", "pk", "at", "undone_at", "correction")
    columns = ("score_before", "score_after", "verdict_before", "verdict_after", "reason")
    return [
        (tool, TakeChange(pk, at, undone_at, correction, known.reviewers[by], *values))
        for tool, by, pk, at, undone_at, correction, *values in rows.values_list(*own, *columns)
        if by in known.reviewers
    ]


def newest_changes(rows: type[TakeChangeRow] | type[FactChangeRow]) -> list[tuple[int, datetime]]:
    """When each tool's newest change of a kind happened, by the tool's primary key; one query."""
    newest = Cast(Max("at"), TextField())
    found = rows.objects.order_by().values_list("tool").annotate(newest=newest)
    return [(pk, datetime.fromisoformat(text).replace(tzinfo=UTC)) for pk, text in found]


def comparisons(rows: ComparisonQuerySet, tools: Mapping[int, Tool]) -> list[Comparison]:
    """Those of these comparisons whose tools are all among `tools`, featured ones first."""
    columns = ("pk", "tools_key", "tool_list", "summary", "featured", "published_at")
    return [
        Comparison(
            pk,
            key,
            [tools[each["tool"]] for each in listed],
            summary,
            {each["tool"]: each["choose_if"] for each in listed if each["choose_if"]},
            featured,
            published_at,
        )
        for pk, key, listed, summary, featured, published_at in rows.featured_first().values_list(
            *columns
        )
        if all(each["tool"] in tools for each in listed)
    ]


def former_slugs(tools: Mapping[int, Tool]) -> dict[str, Tool]:
    """These tools by their former slugs; one query."""
    rows = FormerSlug.objects.order_by().values_list("slug", "tool_id")
    return {slug: tools[key] for slug, key in rows if key in tools}


M = TypeVar("M", ToolQuerySet, TakeQuerySet)


def _with_moment(rows: M) -> M:
    """With `moment`: the moment of publication as a text. Django needs six microseconds to make a
    moment of SQLite's text, which would be a third of the time for all takes.
    """
    return rows.annotate(moment=Cast("published_at", TextField()))


def _moment(text: str | None) -> datetime | None:
    """The moment in a text of the database, whose time zone is UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
