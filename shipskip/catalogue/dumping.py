"""Writes the database as a document: the same content always gives the same bytes."""

import json
from collections.abc import Generator, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from django.db import models

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.featured_order import places
from shipskip.catalogue.schema import (
    CATEGORY,
    COMPARISON,
    FORMAT,
    REVIEWER,
    TAKE,
    TOOL,
    Shape,
)
from shipskip.catalogue.transaction import read_snapshot
from shipskip.web.publishing import ALWAYS
from tools.models import Category, Tool

BATCH = 100

T = TypeVar("T")
JsonObject = dict[str, object]


def dump() -> Generator[str, None, None]:
    """The whole catalogue, drafts included, as pieces of one JSON document.

    The document is one snapshot of the site. Do not use this connection for anything else while
    it is written; close the generator when stopping before its end.
    """
    with read_snapshot():
        yield f'{{\n  "format": {json.dumps(FORMAT)}'
        yield from _section("categories", _categories())
        yield from _section("reviewers", _reviewers())
        yield from _section("tools", _tools())
        yield from _section("comparisons", _comparisons())
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


def _tools() -> Iterator[JsonObject]:
    # Sorted here, because each database sorts hyphens differently.
    keys = sorted(Tool.objects.order_by().values_list("slug", "pk"))
    for batch in _batches(pk for _, pk in keys):
        found = Tool.objects.in_bulk(batch)
        categories = dict(Category.objects.order_by().values_list("pk", "slug"))
        takes: dict[int, list[Take]] = {}
        for take in Take.objects.filter(tool__in=batch).select_related("reviewer").order_by():
            takes.setdefault(take.tool_id, []).append(take)
        for pk in batch:
            yield _tool(found[pk], categories[found[pk].category_id], takes.get(pk, []))


def _tool(tool: Tool, category: str, takes: list[Take]) -> JsonObject:
    panel = sorted(takes, key=lambda take: _panel_order(take.reviewer))
    entries = [
        _entry(TAKE, take, reviewer=take.reviewer.slug, verdict=take.verdict or None)
        for take in panel
    ]
    return _entry(TOOL, tool, category=category, takes=entries)


def _comparisons() -> Iterator[JsonObject]:
    for batch in _batches(places()):
        found = Comparison.objects.in_bulk([place.pk for place in batch])
        for place in batch:
            row = found[place.pk]
            slugs = zip(map(str, row.tool_ids), place.slugs, strict=True)
            texts = {slug: row.choose_if[key] for key, slug in slugs if key in row.choose_if}
            yield _entry(COMPARISON, row, tools=list(place.slugs), choose_if=texts)


def _entry(shape: Shape, row: models.Model, **given: object) -> JsonObject:
    """A row with the document's keys in their order; references and lists are `given`."""
    return {
        name: given[name] if name in given else json_value(getattr(row, key.field))
        for name, key in shape.keys.items()
    }


def json_value(value: object) -> object:
    """A field's value as a document has it: times in UTC, with microseconds if any."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value


def _without_default_published(entry: JsonObject) -> JsonObject:
    """Leave `published` out where it has the default value."""
    if entry["published"] == json_value(ALWAYS):
        del entry["published"]
    return entry


def _batches(keys: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(keys)
    return iter(lambda: list(islice(remaining, BATCH)), [])
