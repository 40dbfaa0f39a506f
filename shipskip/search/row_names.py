"""The names of a row, as its document stores them. No database here."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from shipskip.search.words import joined, root, with_roots, written_as_one

_FORMER = "~"
"""The mark of an earlier name."""


def stored(current: Iterable[Sequence[str]], former: Iterable[Sequence[str]]) -> str:
    """Names, each as its words, as one text: a line each, present ones first."""
    lines = [" ".join(line) for line in current if line]
    earlier = [_FORMER + " ".join(line) for line in former if line]
    return "\n".join(dict.fromkeys(lines + earlier))


class RowNames:
    """The names of a row, and the forms by which a query is compared with them."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        current = [line.split() for line in lines if not line.startswith(_FORMER)]
        every = [line.removeprefix(_FORMER).split() for line in lines]
        self.first = lines[0]
        self.keys = {written_as_one(line) for line in current}
        """The present names, each written as one word."""
        self.keys_with_former = [written_as_one(line) for line in every]
        self.root_keys = {"".join(map(root, line)) for line in current}
        """The roots of the present names, each written as one word."""
        self.words = frozenset(word for line in every for word in with_roots(line))
        """Their words and roots."""
        self.words_and_joined = self.words.union(*map(joined, every))


@lru_cache(maxsize=5_000)
def names_of(text: str) -> RowNames:
    """The names in a document's text."""
    return RowNames(text)
