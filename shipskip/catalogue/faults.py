"""The faults of a file: their place and their sentence."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isinf

MAX_FAULTS = 500
"""Reading stops after this many faults."""
MAX_QUOTED = 40
MAX_COMPARED = 1_000
"""In how many words a similar one is searched."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Path = tuple[str | int, ...]
"""The keys and indexes that lead to a value: `("tools", 17, "takes", 2, "score")`."""

DOCUMENT = "the document"
"""The place of a fault of the whole file."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its place (`tools[17].takes[2].score`) and a sentence."""

    place: str
    message: str
    subject: str = ""
    """The name of the entry that the place is in; empty if it has none."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class InvalidFileError(Exception):
    """A file was refused and nothing was written; `faults` are in the order of the file, and `asks`
    names what an editor can say of its spelling, so that it can be read.
    """

    def __init__(self, faults: Sequence[Fault], asks: Sequence[str] = ()) -> None:
        number = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
        super().__init__(f"{number}, nothing written")
        self.faults = faults
        self.asks = asks


class SiteChangedError(Exception):
    """The site changed during the load, so it was stopped; nothing was written."""


def quoted(value: object) -> str:
    """A value shortened for a sentence, safe to print on a terminal."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        short = value[:MAX_QUOTED] + ("…" if len(value) > MAX_QUOTED else "")
        text = json.dumps(short, ensure_ascii=False)
        return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)
    if isinstance(value, float) and isinf(value):
        return "a number that does not fit 64 bits"
    return json.dumps(value)[: MAX_QUOTED + 1]


def json_place(path: Path) -> str:
    """The place of a value: `tools[17].takes[2].score`."""
    place = ""
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            place += f".{step}" if place else step
        else:
            place += f"[{quoted(step)}]"
    return place or DOCUMENT


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return “; did you mean …?” with a similar one of the known words, or nothing."""
    few = known if len(known) <= MAX_COMPARED else ()
    close = get_close_matches(word[:60], few, 1, cutoff=0.7)
    return f"; did you mean {quoted(close[0])}?" if close else ""
