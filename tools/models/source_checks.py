"""What `check_sources` last found at the source of a fact or plan."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeVar

from django.db import models
from django.db.models import Exists, OuterRef
from django.utils import timezone

from shipskip.web.text import day_in_words
from tools.models.sources import LONGEST_QUOTE, Sourced

R = TypeVar("R", bound=Sourced)


class Outcome(models.TextChoices):
    """What became of a look at a source."""

    THERE = "there", "The quote is there"
    MISSING = "missing", "The quote is gone"
    GONE = "gone", "The page is gone"
    BLOCKED = "blocked", "The page blocks us"
    UNREACHED = "unreached", "The page could not be reached"
    PAGE = "page", "The page is there"
    """Without a quote to look for, or without a text that can be read."""


class SourceCheckQuerySet(models.QuerySet["SourceCheck"]):
    """Checks of sources."""

    def of(self, rows: Iterable[Sourced]) -> "dict[tuple[str, str], SourceCheck]":
        """The checks of these facts or plans by address and quote; one query."""
        keys = {check_key(row.source, row.quote) for row in rows if row.source}
        found = self.filter(pk__in=keys) if keys else self.none()
        return {(each.source, each.quote): each for each in found}

    def totals(self) -> dict[str, int]:
        """How many checks have which outcome; one query."""
        return dict(self.values_list("outcome").annotate(models.Count("pk")))

    def filter_rows(self, rows: "models.QuerySet[R]", outcome: str) -> "models.QuerySet[R]":
        """Those of these facts or plans whose last check has this outcome."""
        own = self.filter(source=OuterRef("source"), quote=OuterRef("quote"), outcome=outcome)
        return rows.filter(Exists(own))


class SourceCheck(models.Model):
    """The last look at an address for a quote. It belongs to no row: a fact whose source or quote
    changes has another one, or none yet.
    """

    key = models.CharField(max_length=32, primary_key=True)
    """`check_key`; an index of both texts would be too long."""
    source = models.CharField(max_length=500, db_index=True)
    quote = models.CharField(max_length=LONGEST_QUOTE, blank=True)
    outcome = models.CharField(max_length=9, choices=Outcome)
    detail = models.CharField(max_length=120, blank=True)
    """Why, in words; nothing of the page is in it."""
    checked_at = models.DateTimeField()
    there_at = models.DateTimeField(null=True)
    """When the quote was last found."""

    objects = SourceCheckQuerySet.as_manager()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.source}: {self.words}"

    @property
    def words(self) -> str:
        """`Still there on 3 November 2026`, `The page blocks us: robots.txt (3 November 2026)`."""
        day = day_in_words(timezone.localtime(self.checked_at))
        if self.outcome == Outcome.THERE:
            return f"Still there on {day}"
        why = f": {self.detail}" if self.detail else ""
        last = ""
        if self.there_at:
            last = f"; last there on {day_in_words(timezone.localtime(self.there_at))}"
        return f"{Outcome(self.outcome).label}{why} ({day}{last})"

    @property
    def is_warning(self) -> bool:
        """Whether an editor has to look at the source."""
        return self.outcome in (Outcome.MISSING, Outcome.GONE)


def check_key(source: str, quote: str) -> str:
    """The key of the check of a quote at an address."""
    return blake2b(f"{source}\n{quote}".encode(), digest_size=16).hexdigest()
