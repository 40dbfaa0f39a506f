"""The content of one content version: everything public, and what lists and pages ask of it."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain, islice
from threading import Lock
from typing import TypeVar

from cachetools import LRUCache
from django.utils.functional import cached_property

from comparisons.models import Comparison as ComparisonRow
from comparisons.models import ReadPair, tools_key
from reviews.models import Reviewer as ReviewerRow
from reviews.models import Take as TakeRow
from reviews.models import TakeChange as TakeChangeRow
from reviews.scoring import Weights
from shipskip.content import loading
from shipskip.content.fact_columns import FactColumn, read_columns, read_unconfirmed
from shipskip.content.personas import Bases
from shipskip.content.records import (
    Attribute,
    Category,
    Comparison,
    Family,
    FullTool,
    PageDates,
    Reviewer,
    Take,
    TakeChange,
    Tool,
)
from shipskip.content.standings import Standings
from shipskip.content.tool_sets import ToolSet, sets_by
from shipskip.page_cache.content_version import stored_number
from shipskip.web.read_snapshot import read_snapshot
from shipskip.web.text import sort_key
from tools.models import Attribute as AttributeRow
from tools.models import Category as CategoryRow
from tools.models import EntryPrice, FactChange, Plan
from tools.models import Family as FamilyRow
from tools.models import Tool as ToolRow

T = TypeVar("T", bound=Tool)

MAX_FULL_BYTES = 32 * 2**20
"""The memory for tools in full: about two thousand with five takes each."""

MAX_NEWEST = 40
"""How many of the latest published tools are suggested before anything is typed."""

MAX_NEWEST_VERDICTS = 6
"""How many of the tools with the latest takes the home page shows."""

MAX_STANDINGS = 8
"""How many readers' own weights keep their standings."""

NEVER = datetime.min.replace(tzinfo=UTC)
"""Before every change."""


class VersionChangedError(Exception):
    """The database has another content version than the content: the page must be made again."""


class Content:
    """Everything public at `now`, with the tools in the order of their names.

    `number` is the stored number of the content version; None for a content that is not kept, which
    reads what it needs later from the same transaction. `before` is the content that this one
    replaces: facts by which its lists were filtered are read now, so that the first reader does not
    wait for them. Threads may use it at the same time.
    """

    def __init__(self, number: int | None, now: datetime, before: "Content | None" = None) -> None:
        self.number, self.now = number, now
        # A deleted take has no moment of publication; its column is in no index.
        self._takes = TakeRow.everything.published(now)
        self.known = _known(now)
        rows = loading.tools(
            ToolRow.objects.published(now), self._takes, Plan.objects.all(), self.known
        )
        self.tools: Sequence[Tool] = sorted(rows, key=lambda row: (sort_key(row.name), row.slug))
        """Ordered by name without case and accents; an index in it is a tool's place."""
        self.places = {tool.pk: place for place, tool in enumerate(self.tools)}
        self.by_slug = {tool.slug: tool for tool in self.tools}
        by_pk = {tool.pk: tool for tool in self.tools}
        self.former_slugs = loading.former_slugs(by_pk)
        rows_of = ComparisonRow.objects.filter(published_at__lte=now)
        self.comparisons: Sequence[Comparison] = loading.comparisons(rows_of, by_pk)
        """Featured ones first, then the latest published."""
        self.by_tools_key = {row.tools_key: row for row in self.comparisons}
        self.read_pairs = frozenset(ReadPair.objects.values_list("tools_key", flat=True))
        """The pairs (`tools_key`) that search engines may list because readers read them."""
        self._lock = Lock()
        self._full: LRUCache[int, FullTool] = LRUCache(
            MAX_FULL_BYTES, getsizeof=lambda tool: tool.size_in_bytes
        )
        self._columns: dict[int, FactColumn] = {}
        self._standings: LRUCache[tuple[tuple[int, int], ...], Standings] = LRUCache(MAX_STANDINGS)
        self.unconfirmed: Mapping[int, ToolSet] = read_unconfirmed(self.places)
        """The tools whose answer no editor has confirmed, by attribute (primary key)."""
        self._compute_orders()
        if before:
            used = [row for row in self.attributes if row.pk in before.columns_in_use]
            self._columns = read_columns(used, self.places)

    def _compute_orders(self) -> None:
        """Compute what lists need, so that the first reader after a publication does not wait."""
        self.ours = Standings(self.tools)
        places = range(len(self.tools))
        judged = [max(map(_newest, tool.takes), default=(NEVER, 0)) for tool in self.tools]
        self._judged_at = [newest for newest, _ in judged]
        by_slug = sorted(places, key=lambda place: self.tools[place].slug)
        entries = {entry: rank for rank, entry in enumerate(EntryPrice.values)}
        self.orders: Mapping[str, Sequence[int]] = {
            "name": places,
            "score": self.ours.ranked,
            "judged": sorted(places, key=lambda place: judged[place][0], reverse=True),
            "newest": sorted(by_slug, key=lambda at: _published(self.tools[at]), reverse=True),
            "entry": sorted(places, key=lambda place: entries[self.tools[place].entry]),
        }
        """Places by the names of orders, except those that depend on votes, facts or weights."""
        self._rank_of_newest = [0] * len(places)
        for rank, place in enumerate(self.orders["newest"]):
            self._rank_of_newest[place] = rank
        self.newest = heapq.nlargest(
            MAX_NEWEST, self.tools, key=lambda row: (_published(row), row.pk)
        )
        """The latest published tools."""
        latest = heapq.nlargest(MAX_NEWEST_VERDICTS, places, key=judged.__getitem__)
        self.newest_verdicts = [self.tools[place] for place in latest if self.tools[place].takes]
        """The tools with the latest takes."""
        self.bases: Bases = Counter(take.basis for tool in self.tools for take in tool.takes)
        """How many takes on public tools have which basis."""
        self.by_category = sets_by(tool.category.pk for tool in self.tools)
        self.by_entry = sets_by(tool.entry for tool in self.tools)
        self.by_status = sets_by(tool.status for tool in self.tools)

    @property
    def categories(self) -> list[Category]:
        """The public categories, by name."""
        return list(self.known.categories.values())

    @property
    def reviewers(self) -> list[Reviewer]:
        """The public reviewers, in panel order."""
        return list(self.known.reviewers.values())

    @property
    def attributes(self) -> list[Attribute]:
        """All attributes, in the editors' order."""
        return list(self.known.attributes.values())

    @property
    def public_attributes(self) -> list[Attribute]:
        """Those that are asked of every tool or in a public category, in the editors' order. The
        others show in previews only.
        """
        public = self.known.categories
        return [
            row
            for row in self.attributes
            if not row.category_ids or any(key in public for key in row.category_ids)
        ]

    def category(self, slug: str) -> Category | None:
        """The public category at a slug."""
        return next((row for row in self.categories if row.slug == slug), None)

    def reviewer(self, slug: str) -> Reviewer | None:
        """The public reviewer at a slug."""
        return next((row for row in self.reviewers if row.slug == slug), None)

    def tool(self, pk: int) -> Tool | None:
        """The public tool with a primary key."""
        place = self.places.get(pk)
        return None if place is None else self.tools[place]

    def tool_of(self, take: Take) -> Tool:
        """The tool of a take on a public tool."""
        return self.tools[self.places[take.tool_id]]

    def having(self, keys: Iterable[int]) -> list[Tool]:
        """The public tools with these primary keys, in their order."""
        return [self.tools[self.places[key]] for key in keys if key in self.places]

    def comparisons_having(self, keys: Iterable[int]) -> list[Comparison]:
        """The editors' comparisons with these primary keys, in their order."""
        found = {row.pk: row for row in self.comparisons}
        return [found[key] for key in keys if key in found]

    def reviewers_having(self, keys: Iterable[int]) -> list[Reviewer]:
        """The reviewers with these primary keys, in their order."""
        return [self.known.reviewers[key] for key in keys if key in self.known.reviewers]

    def categories_having(self, keys: Iterable[int]) -> list[Category]:
        """The categories with these primary keys, in their order."""
        return [self.known.categories[key] for key in keys if key in self.known.categories]

    def tool_at(self, slug: str) -> Tool | None:
        """The public tool at a slug, or at a former one."""
        return self.by_slug.get(slug) or self.former_slugs.get(slug)

    def in_page_order(self, tools: Iterable[T]) -> list[T]:
        """These tools in the order of the page that compares them: the editor's, else by slug."""
        rows = sorted(tools, key=lambda tool: tool.slug)
        edited = self.by_tools_key.get(tools_key(tool.pk for tool in rows))
        if edited:
            order = [tool.pk for tool in edited.tools]
            rows.sort(key=lambda tool: order.index(tool.pk))
        return rows

    def full(self, tools: Sequence[Tool]) -> list[FullTool]:
        """These public tools in full; for those that are not in memory one query for the version,
        and seven more.

        Raises VersionChangedError when the database has another version by now.
        """
        with self._lock:
            found = {tool.pk: self._full[tool.pk] for tool in tools if tool.pk in self._full}
        missing = [tool for tool in tools if tool.pk not in found]
        if missing:
            with self.same_version():
                read = loading.full_tools(missing, self._takes, self.known)
            found |= {tool.pk: tool for tool in read}
            with self._lock:
                for tool in read:
                    if tool.size_in_bytes <= MAX_FULL_BYTES:
                        self._full[tool.pk] = tool
        return [found[tool.pk] for tool in tools if tool.pk in found]

    def newest_judged(self) -> Iterator[Tool]:
        """The tools that have takes, those with the latest first."""
        rows = (self.tools[place] for place in self.orders["judged"])
        return (tool for tool in rows if tool.takes)

    def newest_take_changes(self, most: int) -> list[tuple[Tool, TakeChange]]:
        """The latest changes of takes on public tools that tell readers something new, each with
        its tool; one query. Raises VersionChangedError like `full`.
        """
        rows = TakeChangeRow.objects.news().by_public_reviewers(self.now).on_public_tools(self.now)
        with self.same_version():
            found = loading.take_changes(rows[:most], self.known)
        return [(self.tools[self.places[pk]], change) for pk, change in found if pk in self.places]

    @property
    def columns_in_use(self) -> Collection[int]:
        """The attributes (primary keys) whose facts are in memory."""
        return list(self._columns)

    def fact_columns(self, attributes: Sequence[Attribute]) -> Mapping[int, FactColumn]:
        """The columns of these attributes by primary key; a query for each kind of value at their
        first use. Raises VersionChangedError like `full`.
        """
        missing = [row for row in attributes if row.pk not in self._columns]
        if missing:
            with self.same_version():
                self._columns |= read_columns(missing, self.places)
        return self._columns

    def confirmed_columns(self, attributes: Sequence[Attribute]) -> Mapping[int, FactColumn]:
        """The same columns without the facts that are imported and not confirmed."""
        columns = self.fact_columns(attributes)
        return {
            row.pk: columns[row.pk].without(self.unconfirmed.get(row.pk, 0)) for row in attributes
        }

    def standings(self, weights: Weights) -> Standings:
        """The panels under these weights."""
        if not weights:
            return self.ours
        key = tuple(sorted(weights.items()))
        with self._lock:
            found = self._standings.get(key)
        if found is None:
            found = Standings(self.tools, weights)
            with self._lock:
                self._standings[key] = found
        return found

    @contextmanager
    def same_version(self) -> Iterator[None]:
        """Read from a snapshot of the database that has this version; VersionChangedError if it has
        another by now.
        """
        if self.number is None:
            yield
            return
        with read_snapshot():
            if stored_number() != self.number:
                raise VersionChangedError
            yield

    @cached_property
    def changed_at(self) -> Mapping[int, datetime]:
        """When each tool's page changed: the newest of its publication, its takes and its public
        record; by primary key. Two queries. Raises VersionChangedError like `full`.
        """
        found = {
            tool.pk: max(_published(tool), at)
            for tool, at in zip(self.tools, self._judged_at, strict=True)
        }
        with self.same_version():
            changes = [loading.newest_changes(TakeChangeRow), loading.newest_changes(FactChange)]
        for pk, at in chain.from_iterable(changes):
            if pk in found and at > found[pk]:
                found[pk] = at
        return found

    def dates_of_reviewer(self, reviewer: Reviewer) -> PageDates | None:
        """The dates of a reviewer's page: of the first and the newest take; None without takes."""
        takes = self.takes_by_reviewer.get(reviewer.pk)
        return PageDates(takes[-1].published_at, takes[0].published_at) if takes else None

    @cached_property
    def leaders(self) -> Mapping[int, Tool]:
        """The tool with the best mean score of each category that has one, by the category's
        primary key.
        """
        found: dict[int, Tool] = {}
        for place in self.ours.ranked:
            if self.tools[place].takes:
                found.setdefault(self.tools[place].category.pk, self.tools[place])
        return found

    @cached_property
    def newest_takes(self) -> Sequence[Take]:
        """All takes on public tools, newest first."""
        return sorted(
            (take for tool in self.tools for take in tool.takes), key=_newest, reverse=True
        )

    @cached_property
    def takes_by_reviewer(self) -> Mapping[int, Sequence[Take]]:
        """The takes on public tools by their reviewer's primary key, newest first."""
        found: dict[int, list[Take]] = {}
        for take in self.newest_takes:
            found.setdefault(take.reviewer.pk, []).append(take)
        return found

    @cached_property
    def counts_by_reviewer(self) -> Mapping[int, Mapping[tuple[int, int, str], int]]:
        """How many takes a reviewer has by category (primary key), score and verdict; by the
        reviewer's primary key.
        """
        return {
            reviewer: Counter(
                (self.tool_of(take).category.pk, take.score or 0, take.verdict) for take in takes
            )
            for reviewer, takes in self.takes_by_reviewer.items()
        }

    @cached_property
    def comparisons_of(self) -> Mapping[int, Sequence[int]]:
        """The places in `comparisons` of those with a tool, by the tool's primary key."""
        found: dict[int, list[int]] = {}
        for place, row in enumerate(self.comparisons):
            for tool in row.tools:
                found.setdefault(tool.pk, []).append(place)
        return found

    @cached_property
    def releases(self) -> Mapping[int, Sequence[Tool]]:
        """The tools of each family, by its primary key."""
        found: defaultdict[int, list[Tool]] = defaultdict(list)
        for tool in self.tools:
            if tool.family:
                found[tool.family.pk].append(tool)
        return dict(found)

    @cached_property
    def named(self) -> Mapping[str, Sequence[Tool]]:
        """The tools by their names, names in full and slugs, without case."""
        found: dict[str, list[Tool]] = {}
        for tool in self.tools:
            for name in {tool.slug.casefold(), tool.name.casefold(), str(tool).casefold()}:
                found.setdefault(name, []).append(tool)
        return found

    def newest_of(self, category: int, number: int) -> list[Tool]:
        """The latest published tools of a category."""
        newest = (self.tools[place] for place in self.orders["newest"])
        return list(islice((tool for tool in newest if tool.category.pk == category), number))

    def siblings_of(self, tool: Tool) -> list[Tool]:
        """Other releases of the tool's family, the latest published first."""
        if tool.family is None:
            return []
        rows = self.releases.get(tool.family.pk, [])
        return sorted((row for row in rows if row.pk != tool.pk), key=self.rank_of_newest)

    def rank_of_newest(self, tool: Tool) -> int:
        """The rank of a public tool among all, the latest published first."""
        return self._rank_of_newest[self.places[tool.pk]]

    def means(self, keys: Iterable[int]) -> dict[int, float]:
        """The mean scores, not rounded, of those of these tools (primary keys) that have one."""
        found = {key: self.ours.panels[self.places[key]].mean for key in keys if key in self.places}
        return {key: mean for key, mean in found.items() if mean is not None}


def _published(tool: Tool) -> datetime:
    return tool.published_at or NEVER


def _newest(take: Take) -> tuple[datetime, int]:
    return take.published_at or NEVER, take.pk


def _known(now: datetime) -> loading.Known:
    """The public rows that tools refer to; four queries."""
    return loading.Known(
        categories=loading.rows_as(Category, CategoryRow.objects.published(now)),
        reviewers=loading.rows_as(Reviewer, ReviewerRow.objects.published(now)),
        attributes=loading.rows_as(Attribute, AttributeRow.objects.all()),
        families=loading.rows_as(Family, FamilyRow.objects.all()),
    )
