"""The faults of a catalogue document: their place and their message."""

import json
import re
from dataclasses import dataclass
from math import isinf

MAX_QUOTED = 40
MAX_FAULTS = 100_000
"""Checking stops after this many faults."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

DOCUMENT = "the document"
"""The place of a fault of the whole file."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its place (`tools[17].takes[2].score`) and a sentence."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class InvalidFileError(Exception):
    """A file was refused and nothing was written; `faults` are in the order of the file."""

    def __init__(self, faults: list[Fault]) -> None:
        number = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
        if len(faults) > MAX_FAULTS:
            number = f"more than {MAX_FAULTS:,} faults"
        super().__init__(f"{number}, nothing written")
        self.faults = faults


class SiteChangedError(Exception):
    """The site changed during the load, so it was stopped; nothing was written."""


def quoted(value: Json) -> str:
    """A value shortened for a message, safe to print on a terminal."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        short = value[:MAX_QUOTED] + ("…" if len(value) > MAX_QUOTED else "")
        return _printable(json.dumps(short, ensure_ascii=False))
    if isinstance(value, float) and isinf(value):
        return "a number that does not fit 64 bits"
    return json.dumps(value)[: MAX_QUOTED + 1]


def key_place(place: str, key: str) -> str:
    """The place of an object's key."""
    if _PLAIN_KEY.fullmatch(key):
        return f"{place}.{key}" if place else key
    return f"{place}[{quoted(key)}]"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
