"""Write the site as a document; the output is deterministic: equal content, equal bytes."""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from shipskip.catalogue.answers import amount_text, answer_json
from shipskip.catalogue.entries import COMPARISON, FORMATS, PARTS, SECTIONS, SYNONYM, TOOL, Kind
from shipskip.catalogue.featured_order import places
from shipskip.catalogue.rows import Slugs, Values, rows_in_documents, values_of
from shipskip.web.publishing import ALWAYS
from shipskip.web.read_snapshot import read_snapshot
from tools.fact_values import LICENCE, FactAnswer
from tools.models import FormerSlug

BATCH = 100


def dump(
    public_at: datetime | None = None, on_entry: Callable[[Kind, Values], None] | None = None
) -> Generator[str, None, None]:
    """The whole catalogue, drafts included, as pieces of one JSON document; with `public_at` only
    what readers see at that moment.

    The document is one snapshot of the site. Do not use this connection for anything else while
    it is written; close the generator if you stop before its end. `on_entry` is called with each
    entry before it is written: its kind, and its values before they become JSON.
    """
    with read_snapshot():
        slugs = Slugs.now(public_at)
        yield f'{{\n  "format": {json.dumps(FORMATS[-1])}'
        for kind in SECTIONS.values():
            if kind is SYNONYM and public_at:
                continue  # no page shows them
            yield f",\n  {json.dumps(kind.name)}: ["
            separator, end = "\n", "]"
            for values in _entries(kind, slugs):
                if on_entry:
                    on_entry(kind, values)
                entry = _json(kind, values)
                text = json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False)
                yield separator + "    " + text.replace("\n", "\n    ")
                separator, end = ",\n", "\n  ]"
            yield end
        yield "\n}\n"


def _entries(kind: Kind, slugs: Slugs) -> Iterator[Values]:
    """The entries of one list, in the order of a document."""
    keys = _keys(kind, slugs)
    for at in range(0, len(keys), BATCH):
        batch = keys[at : at + BATCH]
        rows = kind.model._base_manager.in_bulk(batch)
        lists = _lists_of_tools(batch, slugs) if kind is TOOL else {}
        for pk in batch:
            values = values_of(kind, rows[pk], slugs)
            if kind.name in ("categories", "reviewers") and values["published"] == ALWAYS:
                del values["published"]
            values |= {name: found.get(pk, []) for name, found in lists.items()}
            if kind is TOOL:
                facts = {fact["attribute"]: fact["value"].value for fact in values["facts"]}
                values["license"] = facts.get(LICENCE) or ""
            yield values


def _keys(kind: Kind, slugs: Slugs) -> list[int]:
    """The primary keys of the rows, in order."""
    if kind is COMPARISON:
        return [place.pk for place in places(slugs)]
    if kind is SYNONYM:
        rows = kind.model._default_manager.order_by().values_list("word_key", "pk")
        return [pk for _, pk in sorted(rows)]
    return list(slugs.keys[kind.name].values())


def _lists_of_tools(tools: Sequence[int], slugs: Slugs) -> dict[str, dict[int, list[Any]]]:
    """The earlier slugs, takes, facts and plans of these tools, by tool; four queries."""
    lists: dict[str, dict[int, list[Any]]] = {"former_slugs": {}}
    former = FormerSlug.objects.filter(tool__in=tools).values_list("slug", "tool_id")
    for slug, tool in sorted(former):
        lists["former_slugs"].setdefault(tool, []).append(slug)
    return lists | {part.name: parts_of(part, tools, slugs) for part in PARTS.values()}


def parts_of(kind: Kind, tools: Sequence[int], slugs: Slugs) -> dict[int, list[Values]]:
    """The takes, facts or plans of these tools, by tool and in the order of a document."""
    ranks = {
        key: {slug: rank for rank, slug in enumerate(slugs.keys[section])}
        for key, section in kind.references.items()
    }

    def rank(values: Values) -> tuple[Any, ...]:
        own = (ranks[key][values[key]] if key in ranks else values[key] for key in kind.key)
        return values.get("position", 0), *own

    found: dict[int, list[Values]] = {}
    rows = rows_in_documents(kind, slugs.public_at).filter(tool__in=tools)
    for row in rows:
        found.setdefault(row.tool_id, []).append(values_of(kind, row, slugs))
    return {tool: sorted(own, key=rank) for tool, own in found.items()}


def _json(kind: Kind, values: Values) -> Values:
    """The values of an entry as JSON, in the order of its keys."""
    answer = values.get("value")
    if isinstance(answer, FactAnswer):
        values = {key: value for key, value in values.items() if key != "value"}
        stated = {"value": answer_json(answer.value)} if answer.applies else {"applies": False}
        values |= stated
    keys = [key for key in kind.entry.model_fields if key in values]
    return {
        key: [_json(PARTS[key], part) for part in values[key]]
        if key in PARTS
        else json_value(values[key])
        for key in keys
    }


def json_value(value: object) -> object:
    """A field's value for a document: times in UTC, with microseconds if any."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return amount_text(value)
    return value.isoformat() if isinstance(value, date) else value
