"""The words of the index in memory, to correct mistyped words and to find joined ones.

A process loads all words with its first search, and later only new ones.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
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
        self._last = 0
        self._all: set[str] = set()
        self._forms: set[str] = set()
        self._sorted: list[str] = []
        self._reversed: list[str] = []

    def load_new(self) -> None:
        """Load the words that were added since; all, if the database was restored. One query."""
        with self._lock:
            new = list(SearchWord.objects.filter(pk__gt=self._last).values_list("pk", "word"))
            if new:
                self._last = max(key for key, _ in new)
                self._add({word for _, word in new})

    def check(self) -> None:
        """Forget the words if the database has lost some, as after a restore; one query."""
        last = SearchWord.objects.aggregate(last=Max("pk"))["last"] or 0
        if last < self._last:
            with self._lock:
                self.reset()

    def _add(self, new: Iterable[str]) -> None:
        new = set(new) - self._all
        self._sorted = sorted(chain(self._sorted, new))
        self._reversed = sorted(chain(self._reversed, (word[::-1] for word in new)))
        self._all = self._all | new
        self._forms = self._forms | set(with_roots(new))

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
