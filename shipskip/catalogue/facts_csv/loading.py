"""Load facts from a CSV file into the database atomically: all rows or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from shipskip.catalogue.change_log import FieldChange, LoadContext, Report, RowChange, RowCounts
from shipskip.catalogue.csv_files.rows import checked_rows, number_of
from shipskip.catalogue.facts_csv.row import FACTS, FactRow, FactRowForm, ToolsAndAttributes
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.transaction import all_or_nothing
from tools.fact_edits import FactEdit, FactKey, lock_tools, write_facts
from tools.fact_values import answer_as_text
from tools.models import Fact

COMMAND = "python manage.py load_facts FILE.csv"
HISTORY_NOTE = "Loaded from a CSV file of facts"
CHUNK = 500


@dataclass
class FactsReport(Report):
    """What a load did."""

    facts: RowCounts = field(default_factory=RowCounts)


def load(
    file: IO[bytes],
    load_context: LoadContext | None = None,
    *,
    dry_run: bool = False,
    expected_fingerprint: str = "",
    progress: Progress | None = None,
    max_rows: int | None = None,
) -> FactsReport:
    """Load the facts of a file; other facts stay as they are.

    `file` is binary and seekable. `dry_run`, `expected_fingerprint` and the exceptions are those of
    the catalogue's `load`. A file of more than `max_rows` is refused.
    """
    load_context = load_context or LoadContext(history_note=HISTORY_NOTE, reason="")
    site, report = ToolsAndAttributes.now(), FactsReport()
    rows, faults = checked_rows(
        file, FACTS, lambda line: FactRowForm(line, site), progress, max_rows, COMMAND
    )
    if faults:
        raise InvalidFileError(sorted(faults, key=number_of))
    with all_or_nothing(dry_run=dry_run):
        for at in range(0, len(rows), CHUNK):
            chunk = rows[at : at + CHUNK]
            if not dry_run:
                _lock(chunk)
            edits = _edits(chunk, report)
            if not dry_run:
                note, now = load_context.history_note, load_context.now
                write_facts(edits, site.by_key, load_context.user, now, note)
        report.finish(dry_run=dry_run, expected_fingerprint=expected_fingerprint)
    return report


def _lock(rows: Sequence[FactRow]) -> None:
    """Lock the tools of these rows; raises SiteChangedError if one was deleted."""
    tools = {tool for (tool, _) in (row.key for row in rows)}
    if len(lock_tools(sorted(tools))) < len(tools):
        raise SiteChangedError("some of the tools were deleted during the load")


def _edits(rows: Sequence[FactRow], report: FactsReport) -> dict[FactKey, FactEdit]:
    """Return the edits of the rows, and count and list them in the report; one query."""
    found = Fact.objects.filter(tool__in={row.key[0] for row in rows})
    stored = {(fact.tool_id, fact.attribute_id): fact for fact in found}
    edits: dict[FactKey, FactEdit] = {}
    for row in rows:
        fact = stored.get(row.key)
        changes = _changes(fact, row)
        if fact and not changes:
            report.facts.left_alone += 1
            continue
        edits[row.key] = FactEdit(row.answer, row.fields)
        report.change_log.add(RowChange("facts", row.name, changes, created=fact is None))
        if fact:
            report.facts.changed += 1
        else:
            report.facts.created += 1
    return edits


def _changes(fact: Fact | None, row: FactRow) -> tuple[FieldChange, ...]:
    """Each value that the row changes."""
    before = answer_as_text(fact.answer) if fact else None
    values: Mapping[str, tuple[object, object]] = {
        "value": (before, answer_as_text(row.answer)),
        **{
            name: (getattr(fact, name) if fact else None, value)
            for name, value in row.fields.items()
        },
    }
    return tuple(
        FieldChange(name, _shown(old), _shown(new))
        for name, (old, new) in values.items()
        if old != new
    )


def _shown(value: object) -> object:
    """A value as shown in the list of changes."""
    return None if value in (None, "") else str(value)
