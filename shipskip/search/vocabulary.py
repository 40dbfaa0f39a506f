"""The words of the index in memory, to correct mistyped words and to find joined ones.

A thread loads all words when the process starts, and new ones after each look-up of the content
version. A process without that thread loads them with its first search.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from threading import Lock

from django.db.models import Max
from rapidfuzz import process
from rapidfuzz.distance import OSA, JaroWinkler

from shipskip.search.models import SearchWord
from shipskip.search.words import with_roots

MAX_CORRECTIONS = 12
"""How many corrections of one word are tried."""
LIKE = 0.65
"""The minimum similarity (0 to 1) of a name that is suggested if nothing was found."""


class Vocabulary:
    """The words of the index; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all words, as at the start of the process."""
        self.is_loaded = False
        """Whether the words were loaded once."""
        self._last = 0
        self._all: set[str] = set()
        self._forms: set[str] = set()
        self._sorted: list[str] = []
        self._reversed: list[str] = []

    def load(self) -> None:
        """Load the words, unless they were loaded before."""
        if not self.is_loaded:
            self.renew()

    def renew(self) -> None:
        """Load the words that were added since; all, if the database has lost some, as after a
        restore. Searches use the old ones meanwhile. One query if nothing was added.
        """
        with self._lock:
            last = SearchWord.objects.aggregate(last=Max("pk"))["last"] or 0
            if last != self._last:
                known = self._all if last > self._last else set()
                added = SearchWord.objects.filter(pk__gt=self._last if known else 0)
                self._set(known, set(added.values_list("word", flat=True)) - known)
            self._last, self.is_loaded = last, True

    def _set(self, known: set[str], new: set[str]) -> None:
        """Use these words, of which those in `known` are used already."""
        forms = (self._forms if known else set()) | set(with_roots(new))
        in_order = sorted(chain(self._sorted if known else (), new))
        mirrored = sorted(chain(self._reversed if known else (), (word[::-1] for word in new)))
        self._all, self._forms = known | new, forms
        self._sorted, self._reversed = in_order, mirrored

    def __contains__(self, word: str) -> bool:
        return word in self._forms

    def begins_any(self, prefix: str) -> bool:
        """Whether any word starts with this prefix."""
        rows = self._sorted
        at = bisect_left(rows, prefix)
        return at < len(rows) and rows[at].startswith(prefix)

    def corrections(self, word: str) -> list[tuple[str, int]]:
        """The words that were probably meant, with their edit distance, nearest first: at most one
        for 4 to 7 letters, two for 8 and more. Transposed letters count as one.

        The first or the last letter must be right: comparing all words takes five times as long.
        """
        most = most_typos(word)
        if not most:
            return []
        found = _near(word, _beginning(self._sorted, word[0]), most)
        ending = _near(word[::-1], _beginning(self._reversed, word[-1]), most)
        found |= {each[::-1]: distance for each, distance in ending.items()}
        found.pop(word, None)
        near = list(found.items())
        near.sort(key=lambda row: (row[1], -JaroWinkler.similarity(word, row[0]), row[0]))
        return near[:MAX_CORRECTIONS]

    def like(self, word: str, limit: int = 20) -> list[str]:
        """The most similar words with the same first or last letter, best first."""
        ending = (each[::-1] for each in _beginning(self._reversed, word[-1]))
        rows = dict.fromkeys((*_beginning(self._sorted, word[0]), *ending))
        found = process.extract(
            word, list(rows), scorer=JaroWinkler.similarity, score_cutoff=LIKE, limit=limit
        )
        return [each for each, _, _ in sorted(found, key=lambda row: (-row[1], row[0]))]


def _beginning(rows: list[str], prefix: str) -> list[str]:
    """The words of a sorted list that start with this prefix."""
    return rows[bisect_left(rows, prefix) : bisect_left(rows, f"{prefix}~")]


def _near(word: str, rows: Sequence[str], most: int) -> dict[str, int]:
    """The nearest of these words with their edit distance, which is at most `most`."""
    found = process.extract(
        word, rows, scorer=OSA.distance, score_cutoff=most, limit=4 * MAX_CORRECTIONS
    )
    return {each: int(distance) for each, distance, _ in found}


def most_typos(word: str) -> int:
    """The maximum edit distance of corrections of a word."""
    if len(word) < 4 or word.isdigit():
        return 0
    return 1 if len(word) < 8 else 2


vocabulary = Vocabulary()
"""The words in this process."""
