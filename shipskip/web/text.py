"""Texts that editors write: what may stand in them, and the fields that hold them."""

import re
from unicodedata import bidirectional

from django.core.exceptions import ValidationError
from django.db import models

LONGEST_PROSE = 20_000

# Controls other than tab and line ends, those that turn the direction of what follows, halves
# of a character, and what Unicode calls noncharacters: a database, a feed or a page refuses
# each of them somewhere.
_ASTRAL = "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 1 << 20, 1 << 16)
)
FORBIDDEN = re.compile(
    f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\ufdd0-\ufdef{_ASTRAL}\U0010fffe\U0010ffff]"
)

_UNSEEN = "\u115f\u1160\u3164\uffa0"
"""Letters of Hangul that stand for an absent one, and show nothing."""


def isolated(text: str) -> str:
    """A name for the middle of a plain sentence: right-to-left letters keep their order to
    themselves (Unicode's first strong isolate); any other name is left as it is.
    """
    if any(bidirectional(character) in ("R", "AL") for character in text):
        return f"\u2068{text}\u2069"
    return text


def validate_text(text: str) -> None:
    """Refuse characters that a page cannot show, with the first of them; raises ValidationError."""
    if found := FORBIDDEN.search(text):
        raise ValidationError(f"Leave out U+{ord(found[0]):04X}, which a page cannot show.")


def validate_line(text: str) -> None:
    """The same for one line, which holds no line break."""
    validate_text(text)
    if "\n" in text or "\r" in text:
        raise ValidationError("This is one line; leave out the line break.")


def says_something(text: str) -> bool:
    """Whether a text holds a letter or a digit that can be seen, in any script."""
    return any(each.isalnum() and each not in _UNSEEN for each in text)


def validate_reason(text: str) -> None:
    """A line that says something: a letter or a digit at least; raises ValidationError."""
    validate_line(text)
    if not says_something(text):
        raise ValidationError("Say why in words; there is nothing to read in this.")


def line(max_length: int, *, blank: bool = False) -> "models.CharField[str, str]":
    """A field for one line of text."""
    return models.CharField(max_length=max_length, blank=blank, validators=[validate_line])


def prose() -> "models.TextField[str, str]":
    """A field for a text in Markdown, which may be empty."""
    return models.TextField(
        max_length=LONGEST_PROSE, blank=True, help_text="Markdown", validators=[validate_text]
    )
