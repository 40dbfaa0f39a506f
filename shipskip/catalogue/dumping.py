"""Write the database as a document; the output is deterministic: equal content, equal bytes."""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import islice
from typing import TypeVar

from django.db import models

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.entry_parsers import FORMAT, EntryParser
from shipskip.catalogue.fact_answers import amount_text, answer_json
from shipskip.catalogue.fact_schema import ATTRIBUTE, FACT, FAMILY, PLAN
from shipskip.catalogue.featured_order import featured_places
from shipskip.catalogue.schema import CATEGORY, COMPARISON, REVIEWER, SYNONYM, TAKE, TOOL
from shipskip.search.models import Synonym
from shipskip.web.publishing import ALWAYS
from shipskip.web.read_snapshot import read_snapshot
from tools.models import Attribute, Category, Fact, Family, FormerSlug, Plan, Tool

BATCH = 100

T = TypeVar("T")
P = TypeVar("P", Take, Fact, Plan, FormerSlug)
JsonObject = dict[str, object]


def dump() -> Generator[str, None, None]:
    """The whole catalogue, drafts included, as pieces of one JSON document.

    The document is one snapshot of the site. Do not use this connection for anything else while
    it is written; close the generator if you stop before its end.
    """
    with read_snapshot():
        yield f'{{\n  "format": {json.dumps(FORMAT)}'
        yield from _section("categories", _categories())
        yield from _section("reviewers", _reviewers())
        yield from _section("attributes", _attributes())
        yield from _section("families", _families())
        yield from _section("tools", _tools())
        yield from _section("comparisons", _comparisons())
        yield from _section("synonyms", _synonyms())
        yield "\n}\n"


def _section(name: str, entries: Iterable[JsonObject]) -> Iterator[str]:
    """One key of the document with its list, an entry at a time."""
    yield f",\n  {json.dumps(name)}: ["
    separator, end = "\n", "]"
    for entry in entries:
        text = json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False)
        yield separator + "    " + text.replace("\n", "\n    ")
        separator, end = ",\n", "\n  ]"
    yield end


def _categories() -> Iterator[JsonObject]:
    for category in sorted(Category.objects.order_by(), key=lambda row: row.slug):
        yield _without_default_published(_entry(CATEGORY, category))


def _reviewers() -> Iterator[JsonObject]:
    for reviewer in sorted(Reviewer.objects.order_by(), key=_panel_order):
        yield _without_default_published(_entry(REVIEWER, reviewer))


def _panel_order(reviewer: Reviewer) -> tuple[int, str]:
    return reviewer.position, reviewer.slug


def _attributes() -> Iterator[JsonObject]:
    slugs = dict(Category.objects.order_by().values_list("pk", "slug"))
    for row in sorted(Attribute.objects.order_by(), key=_attribute_order):
        categories = [slugs[key] for key in row.category_ids if key in slugs]
        yield _entry(ATTRIBUTE, row, categories=categories, better=row.better or None)


def _attribute_order(attribute: Attribute) -> tuple[int, str]:
    return attribute.position, attribute.slug


def _families() -> Iterator[JsonObject]:
    for family in sorted(Family.objects.order_by(), key=lambda row: row.slug):
        yield _entry(FAMILY, family)


def _tools() -> Iterator[JsonObject]:
    # Sorted here, because each database sorts hyphens differently.
    keys = sorted(Tool.objects.order_by().values_list("slug", "pk"))
    categories = dict(Category.objects.order_by().values_list("pk", "slug"))
    families = dict(Family.objects.order_by().values_list("pk", "slug"))
    attributes = Attribute.objects.in_bulk()
    for batch in _batches(pk for _, pk in keys):
        found = Tool.objects.in_bulk(batch)
        takes = _by_tool(Take.objects.filter(tool__in=batch).select_related("reviewer"))
        facts = _by_tool(Fact.objects.filter(tool__in=batch))
        plans = _by_tool(Plan.objects.filter(tool__in=batch))
        former = _by_tool(FormerSlug.objects.filter(tool__in=batch))
        for pk in batch:
            tool = found[pk]
            yield _entry(
                TOOL,
                tool,
                category=categories[tool.category_id],
                family=families[tool.family_id] if tool.family_id else None,
                former_slugs=sorted(row.slug for row in former.get(pk, ())),
                takes=_takes(takes.get(pk, [])),
                facts=_facts(facts.get(pk, []), attributes),
                plans=_plans(plans.get(pk, [])),
            )


def _by_tool(rows: "models.QuerySet[P]") -> dict[int, list[P]]:
    """The rows of each tool, by its key; one query."""
    found: dict[int, list[P]] = {}
    for row in rows.order_by():
        found.setdefault(row.tool_id, []).append(row)
    return found


def _takes(takes: list[Take]) -> list[JsonObject]:
    panel = sorted(takes, key=lambda take: _panel_order(take.reviewer))
    return [
        _entry(TAKE, take, reviewer=take.reviewer.slug, verdict=take.verdict or None)
        for take in panel
    ]


def _facts(facts: list[Fact], attributes: Mapping[int, Attribute]) -> list[JsonObject]:
    answers = sorted(facts, key=lambda fact: _attribute_order(attributes[fact.attribute_id]))
    return [_fact(fact, attributes[fact.attribute_id].slug) for fact in answers]


def _fact(fact: Fact, attribute: str) -> JsonObject:
    """A fact with its value, or with `"applies": false`."""
    entry = _entry(FACT, fact, attribute=attribute, value=answer_json(fact.value))
    del entry["value" if not fact.applies else "applies"]
    return entry


def _plans(plans: list[Plan]) -> list[JsonObject]:
    ordered = sorted(plans, key=lambda plan: (plan.position, plan.name, plan.currency, plan.per))
    return [_entry(PLAN, plan, amount=amount_text(plan.amount)) for plan in ordered]


def _comparisons() -> Iterator[JsonObject]:
    for batch in _batches(featured_places()):
        found = Comparison.objects.in_bulk([place.pk for place in batch])
        for place in batch:
            row = found[place.pk]
            slugs = zip(map(str, row.tool_ids), place.slugs, strict=True)
            texts = {slug: row.choose_if[key] for key, slug in slugs if key in row.choose_if}
            yield _entry(COMPARISON, row, tools=list(place.slugs), choose_if=texts)


def _synonyms() -> Iterator[JsonObject]:
    for row in sorted(Synonym.objects.order_by(), key=lambda row: row.word_key):
        yield _entry(SYNONYM, row)


def _entry(parser: EntryParser, row: models.Model, **given: object) -> JsonObject:
    """A row with the document's keys in their order; references and lists are `given`."""
    return {
        name: given[name] if name in given else json_value(getattr(row, key.field))
        for name, key in parser.keys.items()
    }


def json_value(value: object) -> object:
    """A field's value for a document: times in UTC, with microseconds if any."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def _without_default_published(entry: JsonObject) -> JsonObject:
    """Leave `published` out where it has the default value."""
    if entry["published"] == json_value(ALWAYS):
        del entry["published"]
    return entry


def _batches(keys: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(keys)
    return iter(lambda: list(islice(remaining, BATCH)), [])
