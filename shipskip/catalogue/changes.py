"""What a load does to the site: counts, a list to be read, and a fingerprint of all of it.

A dry run and the load after it each write the same journal, so that what an editor was shown can
be told from what would be done.
"""

import hashlib
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

MOST_LISTED = 500
LONGEST_SHOWN = 160
"""Characters; names, taglines and prices are told, texts are not."""
REASON = "Corrected with a new edition of the catalogue"


@dataclass(frozen=True)
class Signature:
    """Who loads and when, what the histories say of it, and why public scores change.

    Without a user the load was a command's.
    """

    now: datetime = field(default_factory=lambda: timezone.now())  # asks the clock each time
    user: User | None = None
    act: str = "Loaded from a catalogue document"
    reason: str = REASON


@dataclass
class Count:
    """What became of the rows of one kind."""

    created: int = 0
    changed: int = 0
    left_alone: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """One key of a row: its value so far and the one to come."""

    key: str
    before: object
    after: object

    def __str__(self) -> str:
        before, after = said(self.before), said(self.after)
        if before is None or after is None:
            return f"{self.key}: text changed"
        return f"{self.key}: {before} → {after}"

    @property
    def alone(self) -> str:
        """The value to come, without the one so far."""
        return f"{self.key}: {said(self.after) or 'text'}"


@dataclass(frozen=True, slots=True)
class Change:
    """One row that is created or changed; `row` is the whole of a created one.

    `judged` marks a score or verdict that readers could see (of a created row: before it was
    deleted), `taken_back` a row that readers will not find any more.
    """

    kind: str
    name: str
    differences: tuple[Difference, ...] = ()
    row: tuple[object, ...] = ()
    created: bool = False
    judged: bool = False
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A change as it is listed."""

    kind: str
    name: str
    what: tuple[str, ...]
    taken_back: bool = False

    def __str__(self) -> str:
        what = [*self.what, "readers will not find it any more"] if self.taken_back else self.what
        return f"{self.kind}: {self.name}" + (f" ({'; '.join(what)})" if what else "")


@dataclass
class Chapter:
    """Changes of one sort: the first MOST_LISTED of them, and how many there are."""

    entries: list[Listed] = field(default_factory=list)
    total: int = 0

    @property
    def unlisted(self) -> int:
        """How many are not in the list."""
        return self.total - len(self.entries)

    def add(self, change: Change) -> None:
        """Count one more, and list it if there is room."""
        self.total += 1
        if len(self.entries) < MOST_LISTED:
            told = change.differences
            new = change.created and not change.judged
            what = tuple(each.alone if new else str(each) for each in told)
            self.entries.append(Listed(change.kind, change.name, what, change.taken_back))


class Journal:
    """Takes down each change. Its memory is bounded whatever the load does."""

    def __init__(self) -> None:
        self.judged, self.changed, self.created = Chapter(), Chapter(), Chapter()
        self._hash = hashlib.blake2b(digest_size=20)

    def note(self, change: Change) -> None:
        """Take down one change; the order counts."""
        self._hash.update(repr(change).encode("utf-8", "surrogatepass"))
        if change.judged:
            self.judged.add(change)
        else:
            (self.created if change.created else self.changed).add(change)

    @property
    def fingerprint(self) -> str:
        """The same for two loads that do the same, whoever does them and when."""
        return self._hash.hexdigest()

    def chapters(self) -> dict[str, Chapter]:
        """What there is to be read, by heading; first what matters most."""
        told = {
            "Scores and verdicts that readers could see": self.judged,
            "Changed": self.changed,
            "New": self.created,
        }
        return {heading: chapter for heading, chapter in told.items() if chapter.total}


@dataclass
class Report:
    """What a load did, or would do; the counts of each kind are fields of a subclass.

    `written` is False after a dry run, and where the load was not the one that was expected.
    """

    journal: Journal = field(default_factory=Journal, compare=False)
    written: bool = True

    def settle(self, *, dry_run: bool, expecting: str = "") -> None:
        """Decide whether what was done may stay: not if another journal was expected.

        What may not is taken back with its transaction; a dry run has nothing to take back.
        """
        self.written = not dry_run and expecting in ("", self.journal.fingerprint)
        if not (self.written or dry_run):
            transaction.set_rollback(True)

    def counts(self) -> dict[str, Count]:
        """The counts by what they count."""
        counted = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: count for name, count in counted.items() if isinstance(count, Count)}

    @property
    def changed_anything(self) -> bool:
        """Whether any row was created or changed."""
        return any(count.created or count.changed for count in self.counts().values())


def said(value: object) -> str | None:
    """A value as a few words; None where it is too long for that."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        value = ", ".join(value)
    if isinstance(value, str):
        fits = len(value) <= LONGEST_SHOWN and value.isprintable()
        return f"“{value}”" if fits else None
    return str(value)
