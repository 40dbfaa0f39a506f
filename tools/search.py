"""The words of a query, and the slugs most similar to a mistyped one. No database here."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import TypeVar

MAX_WORDS = 8
STEM = 4
T = TypeVar("T")


def words(text: str) -> list[str]:
    """The words of a query, at most eight, without duplicates, in order."""
    return list(dict.fromkeys(text.split()))[:MAX_WORDS]


def stems(text: str) -> list[str]:
    """The first letters of each word of a mistyped path or query, to find similar slugs.

    Lowercase ASCII, at most four characters each and at most eight of them; words of one
    character are too short to search and are left out.
    """
    found = re.findall(r"[a-z0-9]{2,}", text[:300].lower())
    return list(dict.fromkeys(word[:STEM] for word in found if word != "vs"))[:MAX_WORDS]


def nearest(text: str, rows: Iterable[tuple[str, T]], limit: int = 5) -> list[T]:
    """The rows whose slug is most similar to `text`, best first.

    `rows` are pairs of a slug and what to return for it. Similarity is difflib's ratio (twice the
    matching characters over all characters, 0 to 1).
    """
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    matcher.set_seq2(text[:100].lower())
    scored = []
    for slug, row in rows:
        matcher.set_seq1(slug)
        scored.append((matcher.ratio(), slug, row))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [row for _, _, row in scored[:limit]]
