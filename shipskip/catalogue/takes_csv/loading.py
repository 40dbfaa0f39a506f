"""Load takes from a CSV file into the database atomically: all rows or none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from reviews.models import Take
from shipskip.catalogue.batches import Batch
from shipskip.catalogue.change_log import LoadContext, Report, RowCounts
from shipskip.catalogue.csv_files.rows import checked_rows, number_of
from shipskip.catalogue.faults import MAX_FAULTS, Fault, InvalidFileError, SiteChangedError
from shipskip.catalogue.merging import Merger
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.takes_csv.row import TAKES, SiteKeys, TakeRow, TakeRowForm
from shipskip.catalogue.transaction import all_or_nothing
from tools.models import Tool

COMMAND = "python manage.py load_takes FILE.csv"
HISTORY_NOTE = "Loaded from a CSV file of takes"
CHUNK = 500


@dataclass
class TakesReport(Report):
    """What a load did."""

    takes: RowCounts = field(default_factory=RowCounts)


def load(
    file: IO[bytes],
    load_context: LoadContext | None = None,
    *,
    dry_run: bool = False,
    expected_fingerprint: str = "",
    progress: Progress | None = None,
    max_rows: int | None = None,
) -> TakesReport:
    """Load the takes of a file; other takes stay as they are.

    `file` is binary and seekable. The reason of `load_context` is used for rows that need one and
    have none. `dry_run`, `expected_fingerprint` and the exceptions are those of the catalogue's
    `load`. A file of more than `max_rows` is refused.
    """
    load_context = load_context or LoadContext(history_note=HISTORY_NOTE, reason="")
    # Everything is read and checked before rows are locked, so that votes do not wait meanwhile.
    site, report = SiteKeys.now(), TakesReport()
    rows, faults = checked_rows(
        file, TAKES, lambda line: TakeRowForm(line, site), progress, max_rows, COMMAND
    )
    only_read = dry_run or bool(faults)
    merger = Merger(load_context, report.change_log, dry_run=only_read)
    with all_or_nothing(dry_run=only_read):
        # Do this for a faulty file too, to report scores that lack a reason.
        for at in range(0, len(rows) if len(faults) <= MAX_FAULTS else 0, CHUNK):
            unexplained = _merge(rows[at : at + CHUNK], merger, report.takes, site)
            faults += [_no_reason(site.rows[key]) for key in unexplained]
        faults += merger.faults
        if faults:
            raise InvalidFileError(sorted(faults, key=number_of))
        report.finish(dry_run=dry_run, expected_fingerprint=expected_fingerprint)
    return report


def _merge(
    rows: Sequence[TakeRow], merger: Merger, count: RowCounts, site: SiteKeys
) -> list[tuple[int, int]]:
    """Write rows, their histories and the public record. The caller opens the transaction.

    Returns the keys of those that lack a reason. Raises SiteChangedError if a tool was deleted
    since its key was read.
    """
    keyed = {row.key: row for row in rows}
    tools, reviewers = {tool for tool, _ in keyed}, {reviewer for _, reviewer in keyed}
    stored_tools = Tool.objects.only("published_at", "withdrawn_at").in_bulk(tools)
    if len(stored_tools) < len(tools):
        raise SiteChangedError("some of the tools were deleted during the load")
    batch = Batch(
        "takes",
        Take.objects.filter(tool__in=tools, reviewer__in=reviewers),
        {key: row.wanted for key, row in keyed.items()},
        lambda take: (take.tool_id, take.reviewer_id),
        lambda key: keyed[key].name,
        count,
        equal=_same_text,
        tools=stored_tools,
        reasons={key: row.reason for key, row in keyed.items()},
        place_of=lambda key, name: f"line {site.rows[key]}, {name}",
    )
    merger.merge(batch)
    return batch.unexplained


def _same_text(stored: object, wanted: object) -> bool:
    """Whether two values are equal apart from line ends, which spreadsheets change."""
    if isinstance(stored, str) and isinstance(wanted, str):
        return stored.replace("\r\n", "\n") == wanted.replace("\r\n", "\n")
    return stored == wanted


def _no_reason(number: int) -> Fault:
    message = "is missing; readers could see the score or verdict: write why it changes"
    return Fault(f"line {number}, reason", message)
