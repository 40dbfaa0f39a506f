"""What stands in a cell: safe to open in a spreadsheet, and the same text when it comes back.

A spreadsheet runs a cell that begins like a formula. Such a text leaves with an apostrophe before
it, and comes back without.
"""

import re

from django.core.exceptions import ValidationError

_STARTS = "=+\\-@\t\r\n＝＋－＠"
_AT_RISK = re.compile(f"'*[{_STARTS}]")
# A list in Markdown begins with a sign and a space, which no formula does.
_FORMULA = re.compile(r"[\t\r\n]*(?:([=@＝＠])|([+\-＋－])(?!\s))")
_WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def guarded(text: str) -> str:
    """A text as it may stand in a cell; `bare` undoes it."""
    return f"'{text}" if _AT_RISK.match(text) else text


def bare(text: str) -> str:
    """The text of a cell, without the apostrophe that guards it."""
    return text[1:] if text.startswith("'") and _AT_RISK.match(text) else text


def text_of(cell: str) -> str:
    """The text of a cell; raises ValidationError for one that a spreadsheet would run."""
    if found := _FORMULA.match(cell):
        sign = found[1] or found[2]
        raise ValidationError(
            f"begins with “{sign}” as a formula does; if it is a text, put an apostrophe "
            f"before it: '{sign}…"
        )
    return bare(cell)


def whole(cell: str) -> int | str:
    """The whole number of a cell, or its text."""
    text = cell.strip()
    return int(text) if _WHOLE.fullmatch(text) else text
