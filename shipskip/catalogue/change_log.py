"""What a load changes: counts, a list for people to read, and a fingerprint.

A dry run and the load after it write the same change log, so the load can be compared with what
the editor was shown.
"""

import hashlib
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

MAX_LISTED = 500
MAX_TEXT_LENGTH = 160
"""Maximum characters of a listed value: names, taglines and prices, but no long texts."""
OVERRULED_PRICES = "Entry prices that contradict the plans; the price of the plans is stored"
REASON = "Corrected with a new edition of the catalogue"


@dataclass(frozen=True)
class LoadContext:
    """Who loads and when, the note in the histories, and why public scores change.

    A load by a command has no user.
    """

    now: datetime = field(default_factory=lambda: timezone.now())  # at each load, not at import
    user: User | None = None
    history_note: str = "Loaded from a catalogue document"
    reason: str = REASON


@dataclass
class RowCounts:
    """How many rows of one kind were created, changed, removed and unchanged."""

    created: int = 0
    changed: int = 0
    removed: int = 0
    left_alone: int = 0


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One key of a row with its old and its new value."""

    key: str
    before: object
    after: object

    def __str__(self) -> str:
        before, after = value_text(self.before), value_text(self.after)
        if before is None or after is None:
            return f"{self.key}: text changed"
        return f"{self.key}: {before} → {after}"

    @property
    def after_text(self) -> str:
        """The new value only."""
        return f"{self.key}: {value_text(self.after) or 'text'}"


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that is created, changed or removed; `row` is the whole of a created one.

    `on_record` marks a score or verdict that readers could see (of a created row: before it was
    deleted), `withdrawn` a row that is no longer public.
    """

    kind: str
    name: str
    field_changes: tuple[FieldChange, ...] = ()
    row: tuple[object, ...] = ()
    created: bool = False
    removed: bool = False
    on_record: bool = False
    withdrawn: bool = False


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

    def add(self, change: RowChange) -> None:
        """Count the change, and list it unless the list is full."""
        self.total += 1
        if len(self.entries) < MAX_LISTED:
            values = change.field_changes
            new = change.created and not change.on_record
            what = tuple(each.after_text if new else str(each) for each in values)
            self.entries.append(ListedChange(change.kind, change.name, what, change.withdrawn))


class ChangeLog:
    """Collect every change, in constant memory."""

    def __init__(self) -> None:
        self.on_record, self.changed, self.created = ChangeList(), ChangeList(), ChangeList()
        self.removed, self.overruled = ChangeList(), ChangeList()
        self._hash = hashlib.blake2b(digest_size=20)

    def add(self, change: RowChange) -> None:
        """Add one change; the order matters for the fingerprint."""
        self._hash.update(repr(change).encode("utf-8", "surrogatepass"))
        if change.on_record:
            self.on_record.add(change)
        elif change.removed:
            self.removed.add(change)
        else:
            (self.created if change.created else self.changed).add(change)

    def overrule(self, change: RowChange) -> None:
        """Add a value of the document that is not stored because other rows contradict it."""
        self._hash.update(repr(change).encode())
        self.overruled.add(change)

    @property
    def fingerprint(self) -> str:
        """A hash of the changes: equal for loads with the same changes, by any user at any time."""
        return self._hash.hexdigest()

    def lists(self) -> dict[str, ChangeList]:
        """The lists that are not empty, by heading; the most important first."""
        lists = {
            "Scores and verdicts that readers could see": self.on_record,
            "Removed": self.removed,
            OVERRULED_PRICES: self.overruled,
            "Changed": self.changed,
            "New": self.created,
        }
        return {heading: changes for heading, changes in lists.items() if changes.total}


@dataclass
class Report:
    """What a load did, or would do; the counts of each kind are fields of a subclass.

    `written` is False after a dry run, and when the load differed from the expected one.
    """

    change_log: ChangeLog = field(default_factory=ChangeLog, compare=False)
    written: bool = True

    def finish(self, *, dry_run: bool, expected_fingerprint: str = "") -> None:
        """Roll the transaction back if the fingerprint is not the expected one.

        A dry run has nothing to roll back.
        """
        self.written = not dry_run and expected_fingerprint in ("", self.change_log.fingerprint)
        if not (self.written or dry_run):
            transaction.set_rollback(True)

    def counts(self) -> dict[str, RowCounts]:
        """The counts by the kind of row."""
        counted = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: count for name, count in counted.items() if isinstance(count, RowCounts)}

    @property
    def changed_anything(self) -> bool:
        """Whether any row was created, changed or removed."""
        counts = self.counts().values()
        return any(count.created or count.changed or count.removed for count in counts)


def value_text(value: object) -> str | None:
    """A value as a short text; None if it is too long."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        value = ", ".join(value)
    if isinstance(value, str):
        fits = len(value) <= MAX_TEXT_LENGTH and value.isprintable()
        return f"“{value}”" if fits else None
    return str(value)
