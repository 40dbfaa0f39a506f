"""Rows as entries and entries as rows: slugs stand for primary keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet

from comparisons.models import Comparison
from reviews.models import Take
from shipskip.catalogue.entries import ATTRIBUTE, COMPARISON, FACT, FAMILY, SECTIONS, Kind
from shipskip.catalogue.faults import SiteChangedError
from shipskip.web.publishing import PublishedQuerySet
from tools.models import Attribute, Category, Fact, Family, Tool

Values = dict[str, Any]
"""An entry: the values of the keys that it gives, in the order of its kind."""
_HELD_BY: dict[str, QuerySet[Any]] = {
    "categories": Tool.objects.filter(category=OuterRef("pk")),
    "reviewers": Take.objects.on_existing_tools().filter(reviewer=OuterRef("pk")),
}
"""The rows that cannot be without a row of a kind."""
EDITORS_KEYS = {"held", "source_id", "gone_from_source"}
"""The keys that no page shows; a document of what readers see lacks them."""
SLUGGED = [kind for kind in SECTIONS.values() if "slug" in kind.fields]


@dataclass
class Slugs:
    """The slugs of the site's rows in the order of a document, by list: primary keys by slug, and
    slugs by primary key; with `public_at` only of rows that readers see at that moment.
    """

    keys: dict[str, dict[str, int]] = field(default_factory=dict)
    names: dict[str, dict[int, str]] = field(default_factory=dict)
    public_at: datetime | None = None

    @classmethod
    def now(cls, public_at: datetime | None = None) -> "Slugs":
        """Those that the database has; a query for each list, and one more."""
        found = cls(public_at=public_at)
        for kind in SLUGGED:
            order = [name for name in ("position", "slug") if name in kind.fields]
            rows = rows_in_documents(kind, public_at).values_list(*order, "pk")
            # Sorted here, because each database sorts hyphens differently.
            found.keys[kind.name] = {slug: pk for *_, slug, pk in sorted(rows)}
            found.names[kind.name] = {pk: slug for slug, pk in found.keys[kind.name].items()}
        return found

    def key(self, section: str, slug: str) -> int:
        """The primary key of a slug; raises SiteChangedError if its row was deleted."""
        if slug not in self.keys[section]:
            raise SiteChangedError(f"“{slug}” was deleted from the {section} during the load")
        return self.keys[section][slug]


def rows_in_documents(kind: Kind, public_at: datetime | None = None) -> "QuerySet[Any]":
    """The rows of a kind that a document has, in no order; with `public_at` only those that readers
    see at that moment.
    """
    if public_at:
        return _public_rows(kind, public_at).order_by()
    if kind is COMPARISON:
        return Comparison.objects.of_existing_tools().order_by()
    if kind.name not in _HELD_BY:
        return kind.model._default_manager.order_by()
    # Deleted ones too if others cannot be without them. The desk deletes no such row, but a dump
    # must not fail for one.
    is_held = Q(Exists(_HELD_BY[kind.name]))
    if kind.name == "categories":
        lists = Attribute.objects.order_by().values_list("category_ids", flat=True)
        is_held |= Q(pk__in={key for keys in lists for key in keys})
    return kind.model._base_manager.filter(Q(deleted_at=None) | is_held).order_by()


def _public_rows(kind: Kind, now: datetime) -> "QuerySet[Any]":
    """The rows that readers see at a moment: those without a moment of their own where a public row
    shows them. Facts and plans are those of every tool.
    """
    if kind is FAMILY:
        return Family.objects.filter(pk__in=Tool.objects.published(now).values("family"))
    if kind is ATTRIBUTE:
        return Attribute.objects.filter(pk__in=_public_attributes(now))
    if kind is FACT:
        return Fact.objects.filter(attribute__in=_public_attributes(now))
    rows = kind.model._default_manager.order_by()
    return rows.published(now) if isinstance(rows, PublishedQuerySet) else rows


def _public_attributes(now: datetime) -> list[int]:
    """The attributes (primary keys) that are asked of all tools, or in a public category; without
    its categories, one of a hidden category would be a question to all tools.
    """
    public = set(Category.objects.published(now).values_list("pk", flat=True))
    lists = Attribute.objects.order_by().values_list("pk", "category_ids")
    return [pk for pk, categories in lists if not categories or public & set(categories)]


def values_of(kind: Kind, row: models.Model, slugs: Slugs) -> Values:
    """A row as the values of an entry; the answer of a fact is its `value`."""
    values: Values = {}
    for key, name in kind.fields.items():
        value = getattr(row, name)
        if key in kind.references:
            names = slugs.names[kind.references[key]]
            if isinstance(value, dict):
                value = {names[pk]: text for pk, text in value.items() if pk in names}
            elif isinstance(value, list):
                value = [names[pk] for pk in value if pk in names]
            elif value is not None:
                value = names[value]
        values[key] = None if key in kind.nulls and value == "" else value
    if isinstance(row, Fact):
        values["value"] = row.answer
    if slugs.public_at:
        return {key: value for key, value in values.items() if key not in EDITORS_KEYS}
    return values


def fields_of(kind: Kind, values: Mapping[str, Any], slugs: Slugs) -> dict[str, Any]:
    """The model fields of an entry's values; raises SiteChangedError for a slug without row."""
    fields: dict[str, Any] = {}
    for key in [key for key in kind.fields if key in values]:
        value, section = values[key], kind.references.get(key, "")
        if section and isinstance(value, dict):
            value = {slugs.key(section, slug): text for slug, text in value.items()}
        elif section and isinstance(value, list):
            value = [slugs.key(section, slug) for slug in value]
        elif section and value is not None:
            value = slugs.key(section, value)
        fields[kind.fields[key]] = "" if key in kind.nulls and value is None else value
    return fields
