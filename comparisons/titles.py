"""The title of a comparison page, short enough for a list of search results. No database here."""

from collections.abc import Sequence

MAX_LENGTH = 70
"""Characters of a title before the site's name."""
QUESTION = ": Which AI Tool Should You Ship?"
SEPARATOR = " vs "
SHORTEST = 10
"""A name is not cut shorter while fewer names fit instead."""


def page_title(names: Sequence[str]) -> str:
    """`A vs B: Which AI Tool Should You Ship?` in at most 70 characters.

    Long names are shortened; of many tools the first are named and the others counted. The question
    is left out where shortened names would be the same.
    """
    named = _named(names, MAX_LENGTH - len(QUESTION))
    if len(set(named)) < len(named):
        return _joined(_named(names, MAX_LENGTH), len(names))
    return _joined(named, len(names)) + QUESTION


def _joined(named: Sequence[str], number: int) -> str:
    return SEPARATOR.join(named) + _rest(number - len(named))


def _rest(left: int) -> str:
    """The end of a list from which this many are left out."""
    return f" and {left} more" if left else ""


def _named(names: Sequence[str], most: int) -> list[str]:
    """The first names, at least two, shortened so that they fit `most` characters when joined."""
    for shown in range(len(names), 1, -1):
        room = most - len(_rest(len(names) - shown)) - len(SEPARATOR) * (shown - 1)
        lengths = sorted(len(name) for name in names[:shown])
        longest = room
        while longest > 1 and sum(min(length, longest) for length in lengths) > room:
            longest -= 1
        if longest >= min(SHORTEST, lengths[-1]) or shown == 2:
            return [_cut(name, longest) for name in names[:shown]]
    return list(names)


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"
