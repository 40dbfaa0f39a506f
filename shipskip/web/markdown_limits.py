"""Limits of a Markdown text, so that parsing takes at most a tenth of a second.

The parser's run time is quadratic: it copies the rest of a text at every short block, and searches
it at every opening sign. A text of 20,000 characters can take seconds; within these limits it
cannot.
"""

import re

MAX_LINES = 500
MAX_SIGNS = 5_000
MAX_OPEN = {"[": 5, "](": 5, "<": 50}
"""How many of these signs may be open at the same place, before their `]`, `)` and `>`."""

MAX_NESTED = 5
"""Lists and quotations that one line may open."""

_SIGNS = re.compile(r"[<>*_`\[\]|#&\\!~]")
_OPENING_OR_CLOSING = re.compile(r"\]\(|[\[\]<>)]")
_OPENED_BY = {"]": "[", ")": "](", ">": "<"}
_RULE = r"(?:[- ]+|[* ]+)$"  # a horizontal line looks like the start of many lists
_MARKER = r"[ \t]*(?:[-+*](?=[ \t])|\d+\.(?=[ \t])|>)"
_TOO_NESTED = re.compile(rf"^(?!{_RULE})(?:{_MARKER}){{{MAX_NESTED + 1}}}", re.MULTILINE)


def markdown_fault(text: str) -> str:
    """Return which limit a Markdown text exceeds and what to change; empty if it is within all.

    Runs in linear time.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.count("\n") + 1
    if lines > MAX_LINES:
        return f"This text has {lines:,} lines; at most {MAX_LINES} can be shown. Shorten it."
    signs = len(_SIGNS.findall(text))
    if signs > MAX_SIGNS:
        return (
            f"This text has {signs:,} signs such as * [ < |; at most {MAX_SIGNS:,} can be shown. "
            "Shorten it."
        )
    if sign := _left_open(text):
        return f"Too many {sign} are open at the same place. Close or remove some of them."
    if _TOO_NESTED.search(text):
        return f"A line opens more than {MAX_NESTED} lists or quotations. Remove some of them."
    return ""


def _left_open(text: str) -> str:
    """Return the sign of MAX_OPEN that is open too often at one place; empty if none is."""
    depth = dict.fromkeys(MAX_OPEN, 0)
    for found in _OPENING_OR_CLOSING.finditer(text):
        sign = found[0]
        if closed := _OPENED_BY.get(sign[0]):
            depth[closed] = max(depth[closed] - 1, 0)
        if sign in depth:
            depth[sign] += 1
            if depth[sign] > MAX_OPEN[sign]:
                return sign
    return ""
