"""From a CSV file to the database: all rows or none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from reviews.models import Take
from shipskip.catalogue.changes import Count, Report, Signature
from shipskip.catalogue.faults import MAX_FAULTS, ConflictError, Fault, RefusedError
from shipskip.catalogue.merging import Batch, Merger
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.takes_csv.reading import THE_FILE, UnreadableError, lines
from shipskip.catalogue.takes_csv.row import Row, Site, TakeForm
from shipskip.catalogue.transaction import all_or_nothing
from tools.models import Tool

COMMAND = "python manage.py load_takes FILE.csv"
ACT = "Loaded from a CSV file of takes"
CHUNK = 500


@dataclass
class TakesReport(Report):
    """What a load did."""

    takes: Count = field(default_factory=Count)


def load(
    file: IO[bytes],
    signature: Signature | None = None,
    *,
    dry_run: bool = False,
    expecting: str = "",
    progress: Progress | None = None,
    most_rows: int | None = None,
) -> TakesReport:
    """Bring the takes of a file into the database; those it does not name stay as they are.

    `file` is binary and seekable. The signature's reason stands in for rows that need one and have
    none. `dry_run`, `expecting` and what is raised are those of the catalogue's `load`. A file of
    more than `most_rows` is refused for that alone.
    """
    signature = signature or Signature(act=ACT, reason="")
    # All is read and judged before anything is held: who votes meanwhile does not wait for it.
    site, report = Site.now(), TakesReport()
    rows, faults = _judged(file, site, progress, most_rows)
    look = dry_run or bool(faults)
    merger = Merger(signature, report.journal, dry_run=look)
    with all_or_nothing(look=look):
        # Of a faulty file too: some scores may lack a reason.
        for at in range(0, len(rows) if len(faults) <= MAX_FAULTS else 0, CHUNK):
            unexplained = _merge(rows[at : at + CHUNK], merger, report.takes)
            faults += [_no_reason(site.rows[key]) for key in unexplained]
        if faults:
            raise RefusedError(sorted(faults, key=_number))
        report.settle(dry_run=dry_run, expecting=expecting)
    return report


def _judged(
    file: IO[bytes], site: Site, progress: Progress | None, most_rows: int | None
) -> tuple[list[Row], list[Fault]]:
    """The rows that are good, and what is wrong with the others and with the file."""
    rows: list[Row] = []
    faults: list[Fault] = []
    try:
        for at, line in enumerate(lines(file, progress)):
            if at == most_rows:
                message = f"has more than {most_rows:,} rows, which are the most here: load it on "
                message += f"the server with “{COMMAND}”"
                raise RefusedError([Fault(THE_FILE, message)])
            if line.fault:
                faults.append(line.fault)
                continue
            form = TakeForm(line, site)
            if form.is_valid():
                rows.append(form.row())
            else:
                faults += form.faults()
            if len(faults) > MAX_FAULTS:
                break
    except UnreadableError as error:
        faults.append(error.fault)
    return rows, faults


def _merge(rows: Sequence[Row], merger: Merger, count: Count) -> list[tuple[int, int]]:
    """Bring rows into the database: history, record and all. The caller gives the transaction.

    Returns the keys of those that lack a reason. Raises ConflictError where a tool is gone since
    it was looked up.
    """
    keyed = {row.key: row for row in rows}
    tools, reviewers = {tool for tool, _ in keyed}, {reviewer for _, reviewer in keyed}
    held = Tool.objects.only("published_at", "withdrawn_at").in_bulk(tools)
    if len(held) < len(tools):
        raise ConflictError("some of the tools were taken away during the load")
    batch = Batch(
        "takes",
        Take.objects.filter(tool__in=tools, reviewer__in=reviewers),
        {key: row.wanted for key, row in keyed.items()},
        lambda take: (take.tool_id, take.reviewer_id),
        lambda key: keyed[key].name,
        count,
        equal=_alike,
        tools=held,
        reasons={key: row.reason for key, row in keyed.items()},
    )
    merger.merge(batch)
    return batch.unexplained


def _alike(stored: object, wanted: object) -> bool:
    """Whether a stored value will do: a spreadsheet writes other line ends than a browser."""
    if isinstance(stored, str) and isinstance(wanted, str):
        return stored.replace("\r\n", "\n") == wanted.replace("\r\n", "\n")
    return stored == wanted


def _no_reason(number: int) -> Fault:
    message = "is missing; readers could see the score or verdict: write why it changes"
    return Fault(f"line {number}, reason", message)


def _number(fault: Fault) -> int:
    return int(fault.place.removeprefix("line ").partition(",")[0])
