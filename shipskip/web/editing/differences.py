"""What changed between two texts, word by word, for people to read."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "gone", "new", "skipped"]

CONTEXT = 12
"""Words of an unchanged stretch that are shown beside a change."""

LONGEST_STRETCH = 30
"""Words up to which an unchanged stretch is shown as a whole."""

MOST_PAIRS = 100_000
"""Pairs of equal words up to which two passages are compared word by word."""

_WORD = re.compile(r"\w+(?:[.,'’]\w+)*|\s+|[^\w\s]")
Range = tuple[bool, int, int, int, int]
"""Whether it is equal, and the start and end of the one and of the other."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text that both have, or one alone; `skipped` stands for a long common one."""

    kind: Kind
    text: str = ""

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
    one, two = _plain(before), _plain(after)
    if one == two:
        return []
    pieces = list(_shortened(_by_lines(_joined(list(_pieces(one, two))))))
    last = pieces.pop()
    return [*pieces, Piece(last.kind, last.text.removesuffix("\n"))]


def _plain(text: str) -> str:
    """With one kind of line end, and a last line that ends like the others."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    return f"{lines}\n" if lines else ""


def _pieces(before: str, after: str) -> Iterator[Piece]:
    """Lines that are equal, and between them the differing words."""
    lines, their_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for equal, start, end, their_start, their_end in _ranges(lines, their_lines):
        gone, new = "".join(lines[start:end]), "".join(their_lines[their_start:their_end])
        if equal:
            yield Piece("same", gone)
        else:
            yield from _words(gone, new)


def _words(before: str, after: str) -> Iterator[Piece]:
    words, their_words = _WORD.findall(before), _WORD.findall(after)
    for equal, start, end, their_start, their_end in _ranges(words, their_words):
        gone, new = "".join(words[start:end]), "".join(their_words[their_start:their_end])
        if equal:
            yield Piece("same", gone)
            continue
        if gone:
            yield Piece("gone", gone)
        if new:
            yield Piece("new", new)


def _ranges(one: list[str], two: list[str]) -> Iterator[Range]:
    """Stretches of two lists that are equal or differ, in order; in bounded time."""
    shorter = min(len(one), len(two))
    head = next((n for n in range(shorter) if one[n] != two[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if one[-1 - n] != two[-1 - n]), rest)
    if head:
        yield True, 0, head, 0, head
    end, their_end = len(one) - tail, len(two) - tail
    middle, their_middle = one[head:end], two[head:their_end]
    if _comparable(middle, their_middle):
        matcher = SequenceMatcher(None, middle, their_middle)
        for tag, a, b, c, d in matcher.get_opcodes():
            yield tag == "equal", head + a, head + b, head + c, head + d
    elif middle or their_middle:
        yield False, head, end, head, their_end
    if tail:
        yield True, end, len(one), their_end, len(two)


def _comparable(one: list[str], two: list[str]) -> bool:
    """Whether difflib compares these in a moment: its work grows with the pairs of equals.

    Of 200 words and more it leaves out those that make up over a per cent of them.
    """
    times, their_times = Counter(one), Counter(two)
    most = len(two) // 100 + 1 if len(two) >= 200 else len(two)
    pairs = sum(times[word] * count for word, count in their_times.items() if count <= most)
    return pairs <= MOST_PAIRS


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Changes with what little stands unchanged between them made part of them."""
    gone, new, between = "", "", ""
    joined: list[Piece] = []
    for their_gone, their_new, after in _changes(pieces):
        if between and _is_little(between, (gone, new), (their_gone, their_new)):
            gone, new = gone + between + their_gone, new + between + their_new
        else:
            joined += [*_changed(gone, new), *_kept(between)]
            gone, new = their_gone, their_new
        between = after
    return joined + _changed(gone, new) + _kept(between)


def _changes(pieces: list[Piece]) -> Iterator[tuple[str, str, str]]:
    """Each change as what is gone, what is new, and what stands unchanged after it."""
    gone = new = after = ""
    for piece in pieces:
        if piece.kind == "same":
            after += piece.text
            continue
        if after:
            yield gone, new, after
            gone = new = after = ""
        if piece.kind == "gone":
            gone += piece.text
        else:
            new += piece.text
    yield gone, new, after


def _is_little(between: str, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two changes read better as one: a space or a comma is between them, or a few words
    that both texts only happen to share.
    """
    if "\n" in between or not (any(one) and any(other)):
        return False
    shortest = min(len(text) for text in (*one, *other))
    return not _said(between) or len(between) <= shortest


def _kept(text: str) -> list[Piece]:
    return [Piece("same", text)] if text else []


def _changed(gone: str, new: str) -> list[Piece]:
    """A change in two pieces, without the white space that both end with."""
    end = ""
    while gone and new and gone[-1] == new[-1] and gone[-1].isspace():
        end, gone, new = gone[-1] + end, gone[:-1], new[:-1]
    found = [Piece("gone", gone)] if gone else []
    found += [Piece("new", new)] if new else []
    return found + _kept(end)


def _by_lines(pieces: list[Piece]) -> list[Piece]:
    """Whole lines that came or went begin with a line break, not with the end of the line before.

    `end[+.⏎New+].` and `end.[+⏎New.+]` say the same; the second is how an editor would put it.
    """
    found = [Piece("same"), *pieces, Piece("same")]
    for at in range(1, len(found) - 1):
        before, edit, after = found[at - 1 : at + 2]
        if {before.kind, after.kind} != {"same"} or edit.kind == "same" or "\n" not in edit.text:
            continue
        step = edit.text.index("\n")
        start = edit.text[:step]
        if after.text.startswith(start):
            found[at - 1] = Piece("same", before.text + start)
            found[at] = Piece(edit.kind, edit.text[step:] + start)
            found[at + 1] = Piece("same", after.text[step:])
    return [piece for piece in found if piece.text]


def _said(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _shortened(pieces: list[Piece]) -> Iterator[Piece]:
    """The same with long unchanged stretches cut down to what stands beside a change."""
    stretch = ""
    begun = False
    for piece in pieces:
        if piece.kind == "same":
            stretch += piece.text
            continue
        yield from _cut(stretch, after_change=begun, before_change=True)
        yield piece
        stretch, begun = "", True
    yield from _cut(stretch, after_change=begun, before_change=False)


def _cut(text: str, *, after_change: bool, before_change: bool) -> Iterator[Piece]:
    """An unchanged stretch, or its words next to a change where it is long."""
    words = _WORD.findall(text)
    places = [number for number, word in enumerate(words) if _said(word)]
    if len(places) <= LONGEST_STRETCH:
        if text:
            yield Piece("same", text)
        return
    if after_change:
        yield Piece("same", "".join(words[: places[CONTEXT]]))
    yield Piece("skipped", "…")
    if before_change:
        yield Piece("same", "".join(words[places[-CONTEXT] :]))
