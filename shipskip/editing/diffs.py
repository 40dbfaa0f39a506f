"""What changed between two texts, word by word, for people to read."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

CONTEXT = 12
"""Words of an unchanged stretch that are shown beside a change."""

LONGEST_STRETCH = 30
"""Words up to which an unchanged stretch is shown as a whole."""

MOST_PAIRS = 100_000
"""Pairs of equal words up to which two passages are compared word by word."""

_WORD = re.compile(r"\w+(?:[.,'’]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    """A stretch of text that both have, or one alone; `skipped` stands for a long common one."""

    kind: Literal["same", "gone", "new", "skipped"]
    text: str

    @property
    def shown(self) -> str:
        """The text, where a line break that came or went can be seen."""
        return self.text if self.kind == "same" else self.text.replace("\n", "¶\n")


def difference(before: str, after: str) -> list[Piece]:
    """The pieces that lead from one text to the other; none when they differ in line ends alone,
    or in how many there are after the last line.

    Lines are compared first and words only where lines differ, so that texts of 20,000
    characters take a moment. Passages that repeat themselves beyond measure are shown whole.
    """
    one, two = ("\n".join([*text.rstrip("\r\n").splitlines(), ""]) for text in (before, after))
    if one == two:
        return []
    changes = _changes(one, two)
    pieces, space = [], ""
    for at, (same, gone, new) in enumerate(changes):
        is_last = at == len(changes) - 1
        pieces += _cut(space + same, after_change=at > 0, before_change=not is_last)
        # White space that both end with is no part of the change.
        end = gone[len(gone) - _alike(gone[::-1], new[::-1]) :]
        space = end[len(end.rstrip()) :]
        pieces += [Piece("gone", gone.removesuffix(space)), Piece("new", new.removesuffix(space))]
    pieces = [piece for piece in pieces if piece.text]
    last = pieces.pop()
    return [*pieces, Piece(last.kind, last.text.removesuffix("\n"))]


def _changes(one: str, two: str) -> list[tuple[str, str, str]]:
    """What is the same before a change, what is gone and what is new; the last is no change.

    Changes read better as one where a space or a comma is between them, or a few words that both
    texts only happen to share.
    """
    found: list[tuple[str, str, str]] = []
    same = ""
    for equal, gone, new in _stretches(one, two):
        if equal:
            same += gone
            continue
        if found:
            start, *last = found[-1]
            shortest = min(map(len, (*last, gone, new)))
            if "\n" not in same and (not _said(same) or len(same) <= shortest):
                found[-1] = start, last[0] + same + gone, last[1] + same + new
                same = ""
                continue
        found.append((same, gone, new))
        same = ""
    return [*found, (same, "", "")]


def _stretches(one: str, two: str) -> Iterator[tuple[bool, str, str]]:
    """Both texts in order, by lines that are equal and between them words that are or are not."""
    lines = [text.splitlines(keepends=True) for text in (one, two)]
    for equal, gone, new in _compared(*lines):
        if equal:
            yield equal, gone, new
        else:
            yield from _compared(_WORD.findall(gone), _WORD.findall(new))


def _compared(one: list[str], two: list[str]) -> Iterator[tuple[bool, str, str]]:
    """Stretches of two lists that are equal or differ, in order.

    The work of difflib grows with the pairs of equals, so there is a limit to them. Of 200 and
    more it leaves out those that make up over a per cent of them.
    """
    head = _alike(one, two)
    yield True, "".join(one[:head]), ""
    one, two = one[head:], two[head:]
    times, most = Counter(one), len(two) // 100 + 1 if len(two) >= 200 else len(two)
    pairs = (times[word] * count for word, count in Counter(two).items() if count <= most)
    if sum(pairs) > MOST_PAIRS:
        yield False, "".join(one), "".join(two)
        return
    for tag, start, end, their_start, their_end in SequenceMatcher(None, one, two).get_opcodes():
        yield tag == "equal", "".join(one[start:end]), "".join(two[their_start:their_end])


def _alike(one: Sequence[str], two: Sequence[str]) -> int:
    """How many words or characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _said(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _cut(text: str, *, after_change: bool, before_change: bool) -> list[Piece]:
    """An unchanged stretch, or its words next to a change where it is long."""
    words = _WORD.findall(text)
    places = [number for number, word in enumerate(words) if _said(word)]
    if len(places) <= LONGEST_STRETCH:
        return [Piece("same", text)]
    start = "".join(words[: places[CONTEXT]]) if after_change else ""
    end = "".join(words[places[-CONTEXT] :]) if before_change else ""
    return [Piece("same", start), Piece("skipped", "…"), Piece("same", end)]
