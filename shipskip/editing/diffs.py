"""Word-by-word differences of two texts, for display."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

CONTEXT_WORDS = 12
"""Words of an unchanged segment that are shown next to a change."""

MAX_UNCHANGED = 30
"""Maximum number of words of an unchanged segment that is shown in full."""

MAX_PAIRS = 100_000
"""Maximum number of pairs of equal words in passages that are compared word by word."""

_WORD = re.compile(r"\w+(?:[.,'’]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    """A segment in both texts or in one; `skipped` stands for omitted unchanged text."""

    kind: Literal["same", "removed", "added", "skipped"]
    text: str

    @property
    def shown(self) -> str:
        """The text, with changed line breaks made visible."""
        return self.text if self.kind == "same" else self.text.replace("\n", "¶\n")


def difference(before: str, after: str) -> list[Piece]:
    """Return the differences of two texts as pieces; none if only line endings differ.

    Lines are compared first and words only where lines differ, so that texts of 20,000 characters
    are compared fast. Passages that repeat words very often are not compared word by word.
    """
    one, two = ("\n".join([*text.rstrip("\r\n").splitlines(), ""]) for text in (before, after))
    if one == two:
        return []
    changes = _changes(one, two)
    pieces, space = [], ""
    for at, (same, removed, added) in enumerate(changes):
        is_last = at == len(changes) - 1
        pieces += _cut(space + same, after_change=at > 0, before_change=not is_last)
        # White space at the end of both is not part of the change.
        end = removed[len(removed) - _common_prefix(removed[::-1], added[::-1]) :]
        space = end[len(end.rstrip()) :]
        pieces += [
            Piece("removed", removed.removesuffix(space)),
            Piece("added", added.removesuffix(space)),
        ]
    pieces = [piece for piece in pieces if piece.text]
    last = pieces.pop()
    return [*pieces, Piece(last.kind, last.text.removesuffix("\n"))]


def _changes(one: str, two: str) -> list[tuple[str, str, str]]:
    """Changes as (unchanged text before, removed, added); the last one changes nothing.

    Changes that only a space, a comma or a few common words separate are merged, because they
    are easier to read as one.
    """
    found: list[tuple[str, str, str]] = []
    same = ""
    for equal, removed, added in _segments(one, two):
        if equal:
            same += removed
            continue
        if found:
            start, *last = found[-1]
            shortest = min(map(len, (*last, removed, added)))
            if "\n" not in same and (not _has_word(same) or len(same) <= shortest):
                found[-1] = start, last[0] + same + removed, last[1] + same + added
                same = ""
                continue
        found.append((same, removed, added))
        same = ""
    return [*found, (same, "", "")]


def _segments(one: str, two: str) -> Iterator[tuple[bool, str, str]]:
    """Split both texts into equal lines and, between those, equal and different words."""
    lines = [text.splitlines(keepends=True) for text in (one, two)]
    for equal, removed, added in _compare(*lines):
        if equal:
            yield equal, removed, added
        else:
            yield from _compare(_WORD.findall(removed), _WORD.findall(added))


def _compare(one: list[str], two: list[str]) -> Iterator[tuple[bool, str, str]]:
    """Segments of two lists that are equal or differ, in order.

    The run time of difflib grows with the pairs of equal words, so their number is limited. In
    lists of 200 words and more, difflib ignores words that make up over 1 % of the list.
    """
    head = _common_prefix(one, two)
    yield True, "".join(one[:head]), ""
    one, two = one[head:], two[head:]
    times, most = Counter(one), len(two) // 100 + 1 if len(two) >= 200 else len(two)
    pairs = (times[word] * count for word, count in Counter(two).items() if count <= most)
    if sum(pairs) > MAX_PAIRS:
        yield False, "".join(one), "".join(two)
        return
    for tag, start, end, their_start, their_end in SequenceMatcher(None, one, two).get_opcodes():
        yield tag == "equal", "".join(one[start:end]), "".join(two[their_start:their_end])


def _common_prefix(one: Sequence[str], two: Sequence[str]) -> int:
    """Length of the common prefix, in words or characters."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _cut(text: str, *, after_change: bool, before_change: bool) -> list[Piece]:
    """An unchanged segment; if it is long, only its words next to a change."""
    words = _WORD.findall(text)
    places = [number for number, word in enumerate(words) if _has_word(word)]
    if len(places) <= MAX_UNCHANGED:
        return [Piece("same", text)]
    start = "".join(words[: places[CONTEXT_WORDS]]) if after_change else ""
    end = "".join(words[places[-CONTEXT_WORDS] :]) if before_change else ""
    return [Piece("same", start), Piece("skipped", "…"), Piece("same", end)]
