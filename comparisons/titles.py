"""The title of a comparison page, short enough for a list of search results. No database here."""

from collections.abc import Sequence

from shipskip.web.text import shorten

MAX_LENGTH = 70
"""Characters of a title before the site's name."""
QUESTION = ": Which AI Tool Should You Ship?"
SEPARATOR = " vs "
SHORTEST = 10
"""A name is not cut shorter while fewer names fit instead."""


def page_title(names: Sequence[str], distinctions: Sequence[str]) -> str:
    """`A vs B: Which AI Tool Should You Ship?` in at most 70 characters.

    `distinctions` tell names from the same ones of other tools; they are empty for most. Long names
    are shortened before their distinctions; of many tools the first are named and the others
    counted. The question is left out where shortened names would be the same.
    """
    tools = list(zip(names, distinctions, strict=True))
    named = _named(tools, MAX_LENGTH - len(QUESTION))
    if len(set(named)) < len(named):
        return _joined(_named(tools, MAX_LENGTH), len(names))
    return _joined(named, len(names)) + QUESTION


def _joined(named: Sequence[str], number: int) -> str:
    return SEPARATOR.join(named) + _rest(number - len(named))


def _rest(left: int) -> str:
    """The end of a list from which this many are left out."""
    return f" and {left} more" if left else ""


def _named(tools: Sequence[tuple[str, str]], most: int) -> list[str]:
    """The first tools, at least two, shortened so that they fit `most` characters when joined."""
    longest = most
    for shown in range(len(tools), 1, -1):
        room = most - len(_rest(len(tools) - shown)) - len(SEPARATOR) * (shown - 1)
        lengths = [len(shorten(name, most, apart)) for name, apart in tools[:shown]]
        longest = room
        while longest > 1 and sum(min(length, longest) for length in lengths) > room:
            longest -= 1
        if longest >= min(SHORTEST, max(lengths)) or shown == 2:
            break
    return [shorten(name, longest, apart) for name, apart in tools[:shown]]
