"""What a load changes: which rows and keys, counts, a list for people to read, a fingerprint."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from shipskip.catalogue.document import Document
from shipskip.catalogue.dumping import json_value
from shipskip.editing.bulk_saves import Save
from shipskip.web.text import printable
from tools.fact_values import NOT_APPLICABLE, FactAnswer, in_words

MAX_LISTED = 500
MAX_TEXT_LENGTH = 160
"""Maximum characters of a listed value; of a longer text the part that differs is listed."""
BEFORE_DIFFERENCE = 40
"""How many equal characters are listed before those that differ."""
KEPT = "Different in the source; what is here stays"
OVERRULED_PRICES = "Entry prices that contradict the plans; the price of the plans is stored"
LISTED_KEYS = ("score", "verdict", "value", "amount", "published")
"""The keys of a new or removed row that are listed."""


ABOUT_A_THOUSAND = (900, 1100)
"""The least and the greatest ratio of two numbers of which one was misread a thousandfold."""
NO_ENTRY = -1
"""The entry of a change for which the document has none."""


class Change(NamedTuple):
    """A row that changes: the entry that says so, and the place in the entry's list of a take, fact
    or plan; the primary key, None for a new row; the keys that change, None for a removed row; the
    values that are other than in the entry.
    """

    entry: int
    part: int = -1
    pk: int | None = None
    keys: tuple[str, ...] | None = ()
    own: Mapping[str, object] | None = None


@dataclass
class RowCounts:
    """How many rows of one kind are created, changed, removed and unchanged."""

    created: int = 0
    changed: int = 0
    removed: int = 0
    left_alone: int = 0


class FieldChange(NamedTuple):
    """One key of a row with its old and its new value."""

    key: str
    before: object
    after: object

    def __str__(self) -> str:
        before, after = value_text(self.before), value_text(self.after)
        if max(len(before), len(after)) > MAX_TEXT_LENGTH:
            at = next(
                (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
                min(len(before), len(after)),
            )
            before, after = excerpt(before, at), excerpt(after, at)
        return f"{self.key}: {before} → {after}{self._warning}"

    @property
    def _warning(self) -> str:
        """A mark at a number about a thousand times the old one, or a thousandth of it."""
        before, after = map(_number, (self.before, self.after))
        if not before or not after:
            return ""
        least, most = ABOUT_A_THOUSAND
        if least <= after / before <= most:
            return " ⚠ about a thousand times as much"
        return " ⚠ about a thousandth" if least <= before / after <= most else ""

    @property
    def after_text(self) -> str:
        """The new value only."""
        return f"{self.key}: {value_text(self.after)}"


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A change as the list shows it."""

    kind: str
    name: str
    what: tuple[str, ...]
    withdrawn: bool = False

    def __str__(self) -> str:
        what = [*self.what, "withdrawn from readers"] if self.withdrawn else self.what
        return f"{self.kind}: {self.name}" + (f" ({'; '.join(what)})" if what else "")


@dataclass
class ChangeList:
    """Changes of one kind: the first MAX_LISTED of them, and their number."""

    entries: list[ListedChange] = field(default_factory=list)
    total: int = 0

    def in_words(self, most: int) -> str:
        """The first `most` of them in a line."""
        named = [f"{each.name} ({'; '.join(each.what)})" for each in self.entries[:most]]
        more = f" and {self.total - most:,} more" if self.total > most else ""
        return ", ".join(named) + more

    @property
    def unlisted(self) -> int:
        """How many are not in the list."""
        return self.total - len(self.entries)


@dataclass
class Changes:
    """What a load of a document changes, found without writing anything.

    `version` is the content version of the site that it was compared with; `featured` are the
    featured comparisons in their new order, as sets of slugs, or None if it stays.
    """

    document: Document
    save: Save
    reason: str
    version: int | None
    rows: dict[str, list[Change]] = field(default_factory=dict)
    counts: dict[str, RowCounts] = field(default_factory=dict)
    featured: list[frozenset[str]] | None = None
    on_record: ChangeList = field(default_factory=ChangeList)
    removed: ChangeList = field(default_factory=ChangeList)
    overruled: ChangeList = field(default_factory=ChangeList)
    kept: ChangeList = field(default_factory=ChangeList)
    """What an import leaves alone, although its source has it otherwise."""
    changed: ChangeList = field(default_factory=ChangeList)
    created: ChangeList = field(default_factory=ChangeList)

    def __post_init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=20)

    def add(
        self,
        listed: ChangeList,
        kind: str,
        name: str,
        fields: Iterable[FieldChange] = (),
        *,
        withdrawn: bool = False,
    ) -> None:
        """Add a change to a list and to the fingerprint. Of a new row, all values are given."""
        fields = list(fields)
        is_seen = listed is self.on_record
        text = repr((kind, name, [tuple(each) for each in fields], withdrawn, is_seen))
        self._hash.update(text.encode("utf-8", "surrogatepass"))
        listed.total += 1
        if len(listed.entries) < MAX_LISTED:
            if listed is self.created:
                what = [each.after_text for each in fields if each.key in LISTED_KEYS]
            else:
                what = [str(each) for each in fields]
            listed.entries.append(ListedChange(kind, name, tuple(what), withdrawn))

    @property
    def fingerprint(self) -> str:
        """A hash of the changes: equal for equal changes, by any user at any time."""
        return self._hash.hexdigest()

    @property
    def changed_anything(self) -> bool:
        """Whether any row is created, changed or removed."""
        counts = self.counts.values()
        return any(count.created or count.changed or count.removed for count in counts)

    def lists(self) -> Mapping[str, ChangeList]:
        """The lists that are not empty, by heading; the most important first."""
        lists = {
            "Scores and verdicts that readers could see": self.on_record,
            "Removed": self.removed,
            OVERRULED_PRICES: self.overruled,
            KEPT: self.kept,
            "Changed": self.changed,
            "New": self.created,
        }
        return {heading: changes for heading, changes in lists.items() if changes.total}


def _number(value: object) -> Decimal | None:
    """The number that a key states; None for anything else."""
    stated = value.value if isinstance(value, FactAnswer) else value
    return stated if isinstance(stated, Decimal) else None


def excerpt(text: str, at: int) -> str:
    """The part of a text around a position, on one line."""
    start = max(0, at - BEFORE_DIFFERENCE)
    part = text[start : start + MAX_TEXT_LENGTH]
    more = "…" if start + MAX_TEXT_LENGTH < len(text) else ""
    return f"{'…' if start else ''}{part}{more}"


def value_text(value: object) -> str:
    """A value as a text of one line."""
    if isinstance(value, FactAnswer):
        value = in_words(value.value) if value.applies else NOT_APPLICABLE
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return str(json_value(value))
    value = json_value(value)
    if isinstance(value, dict):
        value = sorted(f"{key}: {text}" for key, text in value.items())
    if isinstance(value, list):
        value = ", ".join(value)
    if isinstance(value, str):
        return f"“{printable(' '.join(value.split()))}”"
    return str(value)
