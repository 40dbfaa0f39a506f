"""Writes rows as CSV."""

import csv
import io
from collections.abc import Iterable

BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel does not recognise UTF-8."""


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells as the text of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
