"""What is wrong with a catalogue document, where, and in which words."""

import json
import re
from dataclasses import dataclass
from math import isinf

LONGEST_SHOWN = 40
MAX_FAULTS = 100_000
"""A document with more faults than this is not read to its end."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

DOCUMENT = "the document"
"""The place of a fault that belongs to the file as a whole."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: its place (`tools[17].takes[2].score`) and a sentence."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class RefusedError(Exception):
    """A document was not loaded and nothing was written; `faults` says why, in file order."""

    def __init__(self, faults: list[Fault]) -> None:
        number = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
        if len(faults) > MAX_FAULTS:
            number = f"more than {MAX_FAULTS:,} faults"
        super().__init__(f"{number}, nothing written")
        self.faults = faults


class ConflictError(Exception):
    """The site changed under the load, so that it could not be finished; nothing was written."""


def shown(value: Json) -> str:
    """A value as a short piece of a sentence, safe to print on a terminal."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        short = value[:LONGEST_SHOWN] + ("…" if len(value) > LONGEST_SHOWN else "")
        return _printable(json.dumps(short, ensure_ascii=False))
    if isinstance(value, float) and isinf(value):
        return "a number that does not fit 64 bits"
    return json.dumps(value)[: LONGEST_SHOWN + 1]


def within(place: str, key: str) -> str:
    """The place of an object's key."""
    if _PLAIN_KEY.fullmatch(key):
        return f"{place}.{key}" if place else key
    return f"{place}[{shown(key)}]"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
