"""CSV files of takes for tests: small valid ones, for the test to break."""

import csv
import io
from datetime import UTC, datetime

import pytest

from reviews.models import Reviewer, Take
from shipskip.catalogue.changes import Changes
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import TAKES
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import as_file, rows
from tests.catalogue.documents import load as load_document
from tools.models import Tool

HEADER = "tool,reviewer,score,verdict,body,published,reason\n"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MOMENT = "2026-05-01T09:00:00Z"


def alpha_take(**fields) -> Take:
    tool, reviewer = Tool.objects.get(slug="alpha"), Reviewer.objects.get(slug="builder")
    return make.take(on=tool, by=reviewer, score=70, verdict="ship", **fields)


def row(**cells: str) -> str:
    """One good row with some cells changed, quoted as it must be."""
    given = {
        "tool": "alpha",
        "reviewer": "builder",
        "score": "70",
        "verdict": "ship",
        "body": "It does what it says.",
        "published": MOMENT,
        "reason": "",
    } | cells
    text = io.StringIO()
    csv.writer(text).writerow(given.values())
    return text.getvalue()


def load(file, save: Save | None = None, **more) -> Changes:
    """Load takes, as the command does."""
    return load_document(file, save or Save(now=NOW), kind=TAKES, **more)


def faults(content: str | bytes) -> list[str]:
    """Every fault of a file; nothing may be written."""
    before = rows()
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(content))
    assert rows() == before
    return [str(fault) for fault in refused.value.faults]


def dumped() -> str:
    return "".join(TAKES.dump())
