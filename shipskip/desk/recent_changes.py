"""Recent changes of tools, takes and comparisons: who did what, and when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import SimpleNamespace

from django.db.models import OuterRef, Subquery

from shipskip.desk.content_models import ContentModel, RowName
from shipskip.editing.history_entries import (
    Version,
    VersionQuerySet,
    action_of,
    author_of,
)
from shipskip.editing.moments import moment_in_words
from tools.models import Tool

MAX_CHANGES = 10


@dataclass(frozen=True)
class RecentChange:
    """One version of a row; `url` is its history page, empty if the row is deleted."""

    version: Version
    action: str
    who: str
    when: str
    kind: str
    named: RowName
    url: str


def recent_changes(models: Sequence[ContentModel]) -> list[RecentChange]:
    """Recent changes of these models, merged, newest first; one query for each model, and one for
    the tools of comparisons.
    """
    found = [change for content in models for change in _last_of(content)]
    found.sort(key=attrgetter("version.history_date"), reverse=True)
    return found[:MAX_CHANGES]


def _last_of(content: ContentModel) -> list[RecentChange]:
    versions = list(_versions(content)[:MAX_CHANGES])
    keys = {key for version in versions for key in getattr(version, "tool_ids", ())}
    tools = Tool.everything.in_bulk(keys) if keys else {}
    return [_change(content, version, tools) for version in versions]


def _versions(content: ContentModel) -> VersionQuerySet:
    """The versions of a model's rows, newest first, with what their name and action need."""
    # A subquery of one value, because PostgreSQL would look up all rows for Exists.
    there = Subquery(content.rows().order_by().filter(pk=OuterRef("id")).values("pk")[:1])
    rows: VersionQuerySet = content.model.history.select_related("history_user", *content.parts)
    rows = rows.annotate(is_there=there)
    if any(field.name == "deleted_at" for field in rows.model.tracked_fields):
        same = content.model.history.filter(id=OuterRef("id"))
        before = same.filter(history_id__lt=OuterRef("history_id")).order_by("-history_id")
        rows = rows.annotate(deleted_before=Subquery(before.values("deleted_at")[:1]))
    return rows.order_by("-history_date", "-history_id")


def _change(content: ContentModel, version: Version, tools: Mapping[int, Tool]) -> RecentChange:
    deleted_before = getattr(version, "deleted_before", None)
    before = SimpleNamespace(history_type="~", deleted_at=deleted_before)
    return RecentChange(
        version=version,
        action=action_of(version, None if version.history_type == "+" else before),
        who=author_of(version),
        when=moment_in_words(version.history_date),
        kind=content.label,
        named=content.name(version, tools),
        url=content.url("history", version.id) if version.is_there else "",
    )
