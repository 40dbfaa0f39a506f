"""How often comparisons are read: a number for each set of tools and day, and recent sums."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from threading import Lock

from cachetools import TTLCache
from django.db import connection, models, transaction
from django.db.models import Exists, F, OuterRef, Subquery, Sum, Window
from django.db.models.functions import Coalesce, RowNumber

from comparisons.addresses import MAX_TOOLS
from tools.models import Tool

STORAGE_PERIOD = timedelta(days=400)
"""How long the reads of a day are stored."""

RECENT_PERIOD = timedelta(days=90)
"""The period whose reads decide which comparisons are often compared."""

MIN_READS = 3
"""Minimum number of recent reads of a comparison that counts as often compared."""

MIN_READS_TO_LIST = 10
"""Minimum number of recent reads of a pair that no editor made, for search engines to list it."""

MAX_READ_PAIRS = 20_000
"""Maximum number of these pairs, the most read ones."""

HELD_SECONDS, MAX_HELD = 60, 20_000
"""For how long a process holds the most read sets, and for how many tools."""

MAX_SETS = 12
"""How many of the most read sets of a tool are held: twice what a page suggests."""

_ADD = """
INSERT INTO {table} AS stored ({columns}, reads) VALUES ({values}, %s)
ON CONFLICT ({columns}) DO UPDATE SET reads = stored.reads + excluded.reads
"""


class DayReadsQuerySet(models.QuerySet["DayReads"]):
    """Reads by day."""

    def add(self, numbers: Mapping[tuple[date, str], int]) -> None:
        """Add numbers of reads by day and `tools_key`, to the recent sums of their tools too.

        Atomic. The tools of each key must exist.
        """
        by_day = [(key, day.isoformat(), number) for (day, key), number in sorted(numbers.items())]
        by_tool = [(int(pk), key, number) for key, _, number in by_day for pk in key.split("-")]
        with transaction.atomic():
            _add(self.model, ("tools_key", "day"), by_day)
            _add(RecentReads, ("tool_id", "tools_key"), sorted(by_tool))

    def delete_old(self, now: datetime) -> int:
        """Delete the reads of days before STORAGE_PERIOD, and count the recent sums again; return
        how many days of comparisons were deleted.
        """
        RecentReads.objects.count_again(now)
        return self.filter(day__lt=(now - STORAGE_PERIOD).date()).delete()[0]


class DayReads(models.Model):
    """How often the comparison of a set of tools was read on one day (UTC)."""

    tools_key = models.CharField(max_length=MAX_TOOLS * 20)
    day = models.DateField(db_index=True)
    reads = models.PositiveIntegerField()

    objects = DayReadsQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["tools_key", "day"], name="reads_once_per_set_and_day")
        ]

    def __str__(self) -> str:
        return f"{self.tools_key} on {self.day}: {self.reads}"


class RecentReadsQuerySet(models.QuerySet["RecentReads"]):
    """Recent sums of reads."""

    def most_read(self, tools: Collection[int], limit: int) -> dict[int, dict[str, int]]:
        """The most read sets of each of these tools (primary keys): the reads by `tools_key`, most
        first. One query.
        """
        place = Window(RowNumber(), partition_by="tool", order_by=["-reads", "pk"])
        rows = self.filter(tool__in=tools, reads__gte=MIN_READS).annotate(place=place)
        found: dict[int, dict[str, int]] = {tool: {} for tool in tools}
        for tool, key, reads in rows.filter(place__lte=limit).values_list(
            "tool_id", "tools_key", "reads"
        ):
            found[tool][key] = reads
        return found

    def most_read_of_all(self, limit: int) -> dict[str, int]:
        """The most read sets of the whole site: the reads by `tools_key`, most first. One query."""
        often = self.filter(reads__gte=MIN_READS).order_by("-reads", "pk")
        # One set may have as many rows as tools.
        return dict(often.values_list("tools_key", "reads")[: limit * MAX_TOOLS])

    def count_again(self, now: datetime) -> None:
        """Compute the sums again from the days since RECENT_PERIOD; idempotent."""
        since = (now - RECENT_PERIOD).date()
        own = DayReads.objects.filter(tools_key=OuterRef("tools_key"), day__gte=since)
        total = own.order_by().values("tools_key").annotate(total=Sum("reads")).values("total")
        rows = self.alias(total=Coalesce(Subquery(total), 0)).exclude(reads=F("total"))
        rows.update(reads=Coalesce(Subquery(total), 0))
        self.filter(~Exists(own)).delete()


class RecentReads(models.Model):
    """How often the comparison of a set of tools was read recently, for one of its tools.

    A row for each tool of the set, so that an index gives a tool's most read comparisons.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, db_index=False, related_name="+")
    tools_key = models.CharField(max_length=MAX_TOOLS * 20)
    reads = models.PositiveIntegerField()

    objects = RecentReadsQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["tool", "tools_key"], name="recent_reads_once")
        ]
        indexes = [
            models.Index(fields=["tool", "-reads"], name="recent_reads_of_tool"),
            models.Index(fields=["-reads"], name="recent_reads_most"),
        ]

    def __str__(self) -> str:
        return f"{self.tools_key}: {self.reads}"


class ReadPairQuerySet(models.QuerySet["ReadPair"]):
    """Pairs that readers read."""

    def decide(self) -> None:
        """Make the rows those of the pairs that are read often enough now. Without a difference
        nothing is written, so the content version stays.
        """
        often = RecentReads.objects.filter(reads__gte=MIN_READS_TO_LIST).order_by("-reads", "pk")
        keys = often.values_list("tools_key", flat=True)[: 2 * MAX_READ_PAIRS]
        wanted = {key for key in keys if key.count("-") == 1}
        with transaction.atomic():
            stored = set(self.values_list("tools_key", flat=True))
            self.filter(tools_key__in=stored - wanted).delete()
            self.bulk_create([ReadPair(tools_key=key) for key in sorted(wanted - stored)])


class ReadPair(models.Model):
    """A pair that no editor made, and that readers read often enough for search engines to list it.
    Decided once a night: pages say so, and their bytes must not follow the reads.
    """

    tools_key = models.CharField(max_length=MAX_TOOLS * 20, unique=True)

    objects = ReadPairQuerySet.as_manager()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.tools_key


class RecentReadsMemory:
    """The most read sets of tools, held for a minute. Threads may use it at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget what is held."""
        self._held: TTLCache[int | None, dict[str, int]] = TTLCache(MAX_HELD, HELD_SECONDS)

    def most_read(self, tools: Collection[int]) -> dict[str, int]:
        """The most read sets of any of these tools (primary keys), or of all without tools: the
        reads by `tools_key`, most first. At most one query, none for tools that are held.
        """
        wanted: list[int | None] = [*tools] or [None]
        if connection.in_atomic_block:
            found: dict[int | None, dict[str, int]] = {}  # what is read may be rolled back
        else:
            with self._lock:
                found = {tool: self._held[tool] for tool in wanted if tool in self._held}
        missing = [tool for tool in tools if tool not in found]
        if missing:
            found.update(RecentReads.objects.most_read(missing, MAX_SETS).items())
        elif not found:
            found[None] = RecentReads.objects.most_read_of_all(MAX_SETS)
        if not connection.in_atomic_block:
            with self._lock:
                self._held.update(found)
        merged = {key: reads for sets in found.values() for key, reads in sets.items()}
        return dict(sorted(merged.items(), key=lambda row: -row[1]))


recent_reads = RecentReadsMemory()
"""Those of this process."""


def _add(
    model: type[models.Model], columns: tuple[str, str], rows: Sequence[tuple[int | str, ...]]
) -> None:
    """Insert rows of two key columns and a number, or add the number to the stored row."""
    text = _ADD.format(table=model._meta.db_table, columns=", ".join(columns), values="%s, %s")
    with connection.cursor() as cursor:
        cursor.executemany(text, rows)
