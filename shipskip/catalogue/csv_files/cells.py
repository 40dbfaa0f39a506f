"""The texts of cells: escape them against CSV injection, restore them, and write rows of them.

A spreadsheet executes a cell that starts like a formula. The export writes an apostrophe before
such a text, and the import removes it.
"""

import csv
import io
import re
from collections.abc import Iterable

from django.core.exceptions import ValidationError

BYTE_ORDER_MARK = "\ufeff"
"""Without the byte order mark Excel does not recognise UTF-8."""

_STARTS = "=+\\-@\t\r\n＝＋－＠"
_AT_RISK = re.compile(f"'*[{_STARTS}]")
# A Markdown list starts with a sign and a space, and no formula does.
_FORMULA = re.compile(r"[\t\r\n]*(?:([=@＝＠])|([+\-＋－])(?!\s))")
_WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def escape_formula(text: str) -> str:
    """Return a text as a safe cell; `unescape_formula` reverses it."""
    return f"'{text}" if _AT_RISK.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of a cell, without the escaping apostrophe."""
    return text[1:] if text.startswith("'") and _AT_RISK.match(text) else text


def cell_text(cell: str) -> str:
    """The text of a cell; raises ValidationError for one that a spreadsheet would execute."""
    if found := _FORMULA.match(cell):
        sign = found[1] or found[2]
        raise ValidationError(
            f"starts with “{sign}” like a formula; if it is a text, put an apostrophe "
            f"before it: '{sign}…"
        )
    return unescape_formula(cell)


def whole_number(cell: str) -> int | str | None:
    """The whole number of a cell, or its text; None for an empty one."""
    text = cell.strip()
    return int(text) if _WHOLE.fullmatch(text) else text or None


def text_or_none(cell: str) -> str | None:
    """The text of a cell without white space around it; None for an empty one."""
    return cell.strip() or None


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells as the text of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
