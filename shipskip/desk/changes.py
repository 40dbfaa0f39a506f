"""The last changes of tools, takes and comparisons: who did what, and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import SimpleNamespace

from django.db.models import OuterRef, Subquery

from shipskip.desk.kinds import Kind, Named
from shipskip.editing.history_entries import Record, Records, act_of, moment_in_words, who

MOST_CHANGES = 10


@dataclass(frozen=True)
class Change:
    """One version of a row; `url` leads to its history, and is empty when the row is gone."""

    record: Record
    act: str
    who: str
    when: str
    kind: str
    named: Named
    url: str


def last_changes(kinds: Sequence[Kind]) -> list[Change]:
    """The last changes of rows of these kinds together, newest first; one query for each kind."""
    found = [change for kind in kinds for change in _last_of(kind)]
    found.sort(key=attrgetter("record.history_date"), reverse=True)
    return found[:MOST_CHANGES]


def _last_of(kind: Kind) -> list[Change]:
    return [_change(kind, record) for record in _versions(kind)[:MOST_CHANGES]]


def _versions(kind: Kind) -> Records:
    """The versions of a kind's rows, newest first, with what names them and tells their act."""
    # A subquery of one value, because PostgreSQL would look up all rows for Exists.
    there = Subquery(kind.rows().order_by().filter(pk=OuterRef("id")).values("pk")[:1])
    rows: Records = kind.model.history.select_related("history_user", *kind.parts)
    rows = rows.annotate(is_there=there)
    if any(field.name == "deleted_at" for field in rows.model.tracked_fields):
        same = kind.model.history.filter(id=OuterRef("id"))
        before = same.filter(history_id__lt=OuterRef("history_id")).order_by("-history_id")
        rows = rows.annotate(deleted_before=Subquery(before.values("deleted_at")[:1]))
    return rows.order_by("-history_date", "-history_id")


def _change(kind: Kind, record: Record) -> Change:
    deleted_before = getattr(record, "deleted_before", None)
    before = SimpleNamespace(history_type="~", deleted_at=deleted_before)
    return Change(
        record=record,
        act=act_of(record, None if record.history_type == "+" else before),
        who=who(record),
        when=moment_in_words(record.history_date),
        kind=kind.one,
        named=kind.name(record),
        url=kind.url("history", record.id) if record.is_there else "",
    )
