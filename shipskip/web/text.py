"""Texts that editors write: validation, and model fields for them."""

import re
from datetime import date
from functools import lru_cache
from unicodedata import bidirectional, combining, normalize

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import models

from shipskip.web import markdown_limits

LONGEST_PROSE = 20_000

# Control characters other than tab and line ends, bidirectional overrides, surrogates and
# Unicode noncharacters: some databases, feeds or pages refuse each of them.
_ASTRAL = "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 1 << 20, 1 << 16)
)
FORBIDDEN_CHARACTERS = re.compile(
    f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\ufdd0-\ufdef{_ASTRAL}\U0010fffe\U0010ffff]"
)

_UNSEEN = "\u115f\u1160\u3164\uffa0"
"""Hangul filler characters: letters that are invisible."""


def bidi_isolated(text: str) -> str:
    """A name for use inside a plain-text sentence: right-to-left names are wrapped in a Unicode
    first strong isolate, so that they do not reorder the words around them.
    """
    if any(bidirectional(character) in ("R", "AL") for character in text):
        return f"\u2068{text}\u2069"
    return text


def as_sentence(text: str) -> str:
    """A text with a full stop, unless it is empty or has a sign at its end that ends a sentence."""
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


@lru_cache(maxsize=50_000)
def day_in_words(day: date) -> str:
    """`18 June 2026`."""
    return f"{day.day} {day:%B %Y}"


def printable(text: str) -> str:
    """A text for a terminal or a message: characters that may control either are replaced."""
    return "".join(each if each.isprintable() else "�" for each in text)


def sort_key(name: str) -> str:
    """Return the sort key of a name: lowercase letters without accents, `eclair` for “Éclair”."""
    if name.isascii():
        return name.lower()
    letters = normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not combining(letter))


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of a name, with an ellipsis in place of what is left out."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip(" ,;:–-(&") + "…"


def validate_text(text: str) -> None:
    """Validate a Markdown text: its characters and its limits; raises ValidationError."""
    validate_characters(text)
    if sentence := markdown_limits.markdown_fault(text):
        raise ValidationError(sentence)


def validate_characters(text: str) -> None:
    """Raise ValidationError that names the first character of FORBIDDEN_CHARACTERS in the text."""
    if found := FORBIDDEN_CHARACTERS.search(text):
        raise ValidationError(
            f"Remove the character U+{ord(found[0]):04X}, which a page cannot show."
        )


def validate_line(text: str) -> None:
    """Validate one line: like `validate_characters`, and without line breaks."""
    validate_characters(text)
    if "\n" in text or "\r" in text:
        raise ValidationError("Remove the line break; this field takes one line.")


def validate_web_address(text: str) -> None:
    """Require an http or https address; raises ValidationError that says what is wrong with it."""
    validate_characters(text)
    scheme, separator, rest = text.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        raise ValidationError("Begin the address with https:// or http://.")
    if re.search(r"\s", text):
        raise ValidationError("Remove the space from the address.")
    try:
        URLValidator(schemes=["http", "https"])(text)
    except ValidationError:
        host = re.split(r"[/?#]", rest)[0]
        raise ValidationError(
            f"“{host}” is not a host on the web: check the part after {scheme}://."
        ) from None


def has_visible_text(text: str) -> bool:
    """Whether a text contains a visible letter or digit, in any script."""
    return any(each.isalnum() and each not in _UNSEEN for each in text)


def validate_reason(text: str) -> None:
    """Require one line with at least one visible letter or digit; raises ValidationError."""
    validate_line(text)
    if not has_visible_text(text):
        raise ValidationError("Give a reason in words; this one has no letter or digit.")


def line_field(max_length: int, *, blank: bool = False) -> "models.CharField[str, str]":
    """A field for one line of text."""
    return models.CharField(max_length=max_length, blank=blank, validators=[validate_line])


def prose_field(label: str | None = None) -> "models.TextField[str, str]":
    """A field for a text in Markdown, which may be empty; its label is that of its name."""
    return models.TextField(
        label,
        max_length=LONGEST_PROSE,
        blank=True,
        help_text="Markdown",
        validators=[validate_text],
    )
