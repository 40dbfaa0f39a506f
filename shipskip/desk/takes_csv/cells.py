"""What stands in a cell: safe to open in a spreadsheet, and the same text when it comes back.

A spreadsheet runs a cell that begins like a formula. Such a text leaves with an apostrophe before
it, and comes back without. The library's own IMPORT_EXPORT_ESCAPE_FORMULAE_ON_EXPORT stays off:
it takes a leading “=” away instead, which cannot be undone, and lets “+”, “-” and “@” pass.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from import_export.widgets import Widget

from shipskip.catalogue.dumping import plain
from shipskip.catalogue.faults import Fault, shown
from shipskip.catalogue.values import Reader, nearest

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


class Cell(Widget):  # type: ignore[misc]
    """A cell whose value one of the catalogue's readers reads; it complains with a ValueError."""

    def __init__(self, reader: Reader, value_of: Callable[[str], Any] = str.strip) -> None:
        super().__init__()
        self._reader = reader
        self._value_of = value_of

    def clean(self, value: Any, row: Any = None, **kwargs: Any) -> Any:
        """The value of a cell's text."""
        faults: list[Fault] = []
        read = self._reader.read(self._value_of(value), "", faults)
        if faults:
            raise ValueError(faults[0].message)
        return read


class When(Cell):
    """A cell with a moment."""

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> str:
        """The moment in UTC, as it is read; empty for none."""
        return str(plain(value)) if value else ""


class Text(Cell):
    """A cell with a text."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader, bare)

    def clean(self, value: Any, row: Any = None, **kwargs: Any) -> Any:
        """The text; raises ValueError for a formula too."""
        if found := _FORMULA.match(value):
            sign = found[1] or found[2]
            raise ValueError(
                f"begins with “{sign}” as a formula does; if it is a text, put an apostrophe "
                f"before it: '{sign}…"
            )
        return super().clean(value, row, **kwargs)

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> str:
        """The text as no spreadsheet runs it."""
        return guarded(value)


class Lookup(Cell):
    """A cell with the slug of a row; `known` are the rows there are, `former` earlier slugs."""

    def __init__(self, reader: Reader, noun: str) -> None:
        super().__init__(reader)
        self._noun = noun
        self.known: Mapping[str, Any] = {}
        self.former: Mapping[str, str] = {}

    def clean(self, value: Any, row: Any = None, **kwargs: Any) -> Any:
        """The row; no query, whatever the number of rows."""
        slug = super().clean(value, row, **kwargs)
        if slug in self.known:
            return self.known[slug]
        now = self.former.get(slug)
        hint = f"; it is {shown(now)} now" if now else nearest(slug, list(self.known))
        raise ValueError(f"{shown(slug)} is no {self._noun} of this site{hint}")

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> str:
        """The row's slug."""
        return guarded(value.slug)


def whole(text: str) -> int | str:
    """The whole number of a cell's text, or the text."""
    text = text.strip()
    return int(text) if _WHOLE.fullmatch(text) else text


def optional(text: str) -> str | None:
    """The text of a cell, None if there is none."""
    return text.strip() or None


def alike(stored: Any, wanted: Any) -> bool:
    """Whether a stored value will do: a spreadsheet writes other line ends than a browser."""
    if isinstance(stored, str) and isinstance(wanted, str):
        return stored.replace("\r\n", "\n") == wanted.replace("\r\n", "\n")
    return bool(stored == wanted)
