"""The first sentence of an editor's Markdown, and what follows it. No database here."""

import re
from functools import lru_cache
from html import unescape
from typing import Literal, NamedTuple

from django.utils.html import strip_tags

from shipskip.web import markdown

# A full stop within a word (v0.50, llama.cpp) or before a lowercase letter does not end a sentence.
_END = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s+(?P<next>\S))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|prof|inc|ltd)|\b\w)\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 8
"""More characters than an abbreviation has, with its full stop and the character before it."""
_ITEM = re.compile(r"\n[ \t]*(?:[-*+>#|]|\d+\.)[ \t]")


class Opening(NamedTuple):
    """A text in two parts: its first sentence as plain text, and the rest in Markdown."""

    sentence: str
    rest: str
    kind: Literal["flows", "follows", "repeats"]
    """Whether the rest goes on in the sentence's paragraph, begins after it, or is the whole text
    once more.
    """


def plain_text(text: str) -> str:
    """A Markdown text as readers see it, on one line."""
    return " ".join(unescape(strip_tags(markdown.render(text))).split())


@lru_cache(maxsize=8192)
def opening(text: str) -> Opening:
    """Split a text after its first sentence; the rest is empty after a single sentence.

    If the text cannot be split there (emphasis continues), or a link would be lost, the rest is
    the whole text.
    """
    source = text.replace("\r\n", "\n").strip()
    paragraph = re.split(r"\n\s*\n", source, maxsplit=1)[0]
    if item := _ITEM.search(paragraph):
        paragraph = paragraph[: item.start()]
    end = _end_of_sentence(paragraph)
    sentence, rest = plain_text(source[:end]), source[end:].strip()
    has_link = "<a " in markdown.render(source[:end])
    if not has_link and f"{sentence} {plain_text(rest)}".strip() == plain_text(source):
        return Opening(sentence, rest, "flows" if end < len(paragraph.rstrip()) else "follows")
    plain = plain_text(source)
    return Opening(plain[: _end_of_sentence(plain)], source, "repeats")


def _end_of_sentence(text: str) -> int:
    for found in _END.finditer(text):
        start = max(0, found.start() + 1 - _LONGEST_ABBREVIATION)
        before = text[start : found.start() + 1]
        is_short = found[0][0] == "." and _ABBREVIATION.search(before)
        if not found["next"].islower() and not is_short:
            return found.end()
    return len(text)
