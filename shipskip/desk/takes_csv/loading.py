"""From a CSV file to the database: all rows or none."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import IO

import tablib

from shipskip.catalogue.changes import Count, Report, Signature
from shipskip.catalogue.faults import MAX_FAULTS, Fault, RefusedError, UnreadableError
from shipskip.catalogue.frame import all_or_nothing
from shipskip.catalogue.merging import Merger
from shipskip.desk.takes_csv.reading import KNOWN, THE_FILE, HeaderError, Line, Progress, lines
from shipskip.desk.takes_csv.resource import TakeResource

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
    more than `most_rows` is refused before any of it is judged.
    """
    signature = signature or Signature(act=ACT, reason="")
    if most_rows is not None:
        _count(file, most_rows)
    # All is read and judged before anything is held: who votes meanwhile does not wait for it.
    resource, report = TakeResource(), TakesReport()
    faults, end = _take_in(lines(file, progress), resource)
    look = dry_run or bool(faults or end)
    merger = Merger(signature, report.journal, dry_run=look)
    with all_or_nothing(look=look):
        for rows in resource.rows if len(faults) <= MAX_FAULTS else ():
            resource.merge(rows, merger, report.takes)
        faults += resource.faults
        if faults or end:
            raise RefusedError(sorted(faults, key=_number) + end)
        report.settle(dry_run=dry_run, expecting=expecting)
    return report


def _count(file: IO[bytes], most: int) -> None:
    """Refuse a file with more rows than `most`; what cannot be read is told later."""
    rows = lines(file)
    with suppress(HeaderError, UnreadableError):
        if next(islice(rows, most, None), None):
            message = f"has more than {most:,} rows, which are the most here: load it on the "
            raise RefusedError([Fault(THE_FILE, f"{message}server with “{COMMAND}”")])


def _take_in(rows: Iterator[Line], resource: TakeResource) -> tuple[list[Fault], list[Fault]]:
    """Read row after row; what is wrong with them, and what ended the reading."""
    faults: list[Fault] = []
    end: list[Fault] = []
    chunk: list[Line] = []
    try:
        for line in rows:
            chunk.append(line)
            if len(chunk) == CHUNK:
                faults += _of_chunk(chunk, resource)
                chunk = []
                if len(faults) > MAX_FAULTS:
                    return faults, end
    except HeaderError as error:
        end = error.faults
    except UnreadableError as error:
        end = [error.fault]
    return faults + _of_chunk(chunk, resource), end


def _of_chunk(chunk: list[Line], resource: TakeResource) -> list[Fault]:
    whole = [line for line in chunk if not line.fault]
    if whole:
        dataset = tablib.Dataset(*(line.cells for line in whole), headers=KNOWN)
        resource.take_in(dataset, [line.number for line in whole])
    faults = [line.fault for line in chunk if line.fault] + resource.faults
    resource.faults = []
    return faults


def _number(fault: Fault) -> int:
    return int(fault.place.removeprefix("line ").partition(",")[0])
