"""The cells of a CSV file: safe texts, and the values that they stand for.

A spreadsheet executes a cell that starts like a formula. The export writes an apostrophe before
such a text, and the import removes it.
"""

import json
import re
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from django.db import models

from shipskip.catalogue.dumping import json_value
from shipskip.catalogue.entries import Kind
from shipskip.catalogue.faults import Json, quoted
from tools.fact_values import NOT_SAID, FactAnswer, as_text

_STARTS = "=+\\-@\t\r\n＝＋－＠"
_AT_RISK = re.compile(f"'*[{_STARTS}]")
# A Markdown list starts with a sign and a space, and no formula does.
_FORMULA = re.compile(r"[\t\r\n]*(?:([=@＝＠])|([+\-＋－])(?!\s))")
_WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?[0-9][0-9.,]*\s*", re.ASCII)
_YES_OR_NO = {"yes": True, "true": True, "no": False, "false": False}


def escape_formula(text: str) -> str:
    """Return a text as a safe cell; `unescape_formula` reverses it."""
    return f"'{text}" if _AT_RISK.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of a cell, without the escaping apostrophe."""
    return text[1:] if text.startswith("'") and _AT_RISK.match(text) else text


def cell_of(value: object) -> str:
    """A value of an entry as a safe cell; a number is no formula, and a list is JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, FactAnswer):
        silent = value.applies and value.value is None
        value = NOT_SAID if silent else as_text(value.value)
        return value if _NUMBER.fullmatch(value) else escape_formula(value)
    if isinstance(value, date | datetime | Decimal):
        value = json_value(value)
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    return escape_formula(str(value))


@cache
def _column(kind: Kind, key: str) -> "models.Field[Any, Any] | None":
    """The model field of a column; None if it has none."""
    name = kind.fields.get(key, key)
    fields = kind.model._meta.concrete_fields
    return next((field for field in fields if name in (field.name, field.attname)), None)


def value_of(cell: str, kind: Kind, key: str) -> Json:
    """The value that a cell stands for in an entry of this kind, as in a document.

    Raises ValueError, with a sentence, for a formula and for a word other than yes or no.
    """
    column, word = _column(kind, key), cell.strip()
    if isinstance(column, models.BooleanField):
        if word and word.lower() not in _YES_OR_NO:
            raise ValueError(f"{quoted(cell)} is not yes or no")
        return _YES_OR_NO[word.lower()] if word else bool(column.get_default())
    if isinstance(column, models.IntegerField):
        return int(word) if _WHOLE.fullmatch(word) else word or None
    if column and (column.is_relation or column.choices or isinstance(column, models.DateField)):
        return None if not word and (column.null or key in kind.nulls) else word
    if not _NUMBER.fullmatch(cell) and (found := _FORMULA.match(cell)):
        sign = found[1] or found[2]
        raise ValueError(
            f"starts with “{sign}” like a formula; if it is a text, put an apostrophe before it: "
            f"'{sign}…"
        )
    return unescape_formula(cell)
