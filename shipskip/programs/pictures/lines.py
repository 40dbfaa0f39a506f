"""Texts in lines that fit: resvg neither wraps nor shortens. No database here."""

import json
import re
from pathlib import Path
from unicodedata import bidirectional

FONTS = Path(__file__).parent / "fonts"

WIDTHS: dict[str, int] = json.loads((FONTS / "widths.json").read_text())
"""The width of each character of our fonts at its bold weight, in thousandths of the size."""


_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RIGHT_TO_LEFT = re.compile(f"({_LETTER}+(?: {_LETTER}+)*)")
"""Words of Hebrew or Arabic letters."""


JOINED = 0.75
"""The width of an Arabic letter within a word as a part of that of the letter alone."""


def drawable(text: str, instead: str = "") -> str:
    """A text without the characters that our fonts lack, such as emoji; `instead` if no letter or
    digit is left.
    """
    found = " ".join("".join(c if c in WIDTHS else " " * c.isspace() for c in text).split())
    return found if any(c.isalnum() for c in found) else instead


def runs(line: str, size: float, left: float) -> list[tuple[str, str, float]]:
    """The parts of a line from `left` on, each with the family that has its letters (empty for the
    picture's own) and its position. They are texts of their own: in one text of two families resvg
    loses letters.
    """
    found = []
    for part in filter(None, _RIGHT_TO_LEFT.split(line)):
        found.append((part, _family(part[0]) if _RIGHT_TO_LEFT.match(part) else "", round(left, 1)))
        left += width(part, size)
    return found


def _family(letter: str) -> str:
    return "Noto Sans Hebrew" if bidirectional(letter) == "R" else "Noto Sans Arabic"


def width(text: str, size: float) -> float:
    """The width of a drawable text in pixels, at a size in pixels; joined Arabic letters are about
    that much narrower than single ones.
    """
    of_letters = sum(WIDTHS[c] * (JOINED if bidirectional(c) == "AL" else 1) for c in text)
    return of_letters * size / 1000


def shortened(text: str, size: float, room: float) -> str:
    """As much of a text as fits into `room` pixels, with an ellipsis for the rest."""
    if width(text, size) <= room:
        return text
    while text and width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def in_lines(text: str, size: float, room: float, most: int) -> list[str]:
    """A text in at most `most` lines of `room` pixels, broken between words; what is left over is
    cut with an ellipsis.
    """
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most - 1:
        line = words.pop(0)
        while words and width(f"{line} {words[0]}", size) <= room:
            line += f" {words.pop(0)}"
        lines.append(shortened(line, size, room))
    rest = " ".join(words)
    return [*lines, shortened(rest, size, room)] if rest else lines
