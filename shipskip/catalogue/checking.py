"""What is wrong with a document as a whole: entry by entry, and between entries. No database."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from shipskip.catalogue.assembling import Item
from shipskip.catalogue.decoding import Progress
from shipskip.catalogue.faults import DOCUMENT, MAX_FAULTS, Fault, UnreadableError, shown, within
from shipskip.catalogue.shapes import FORMAT, SECTIONS, Row
from shipskip.catalogue.streaming import items
from shipskip.catalogue.values import nearest

_KEYS = ("format", *SECTIONS)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


@dataclass(frozen=True)
class Holdings:
    """The slugs a site holds already; `former` maps a tool's earlier slugs to its present one,
    `deleted` the slugs under which readers knew a deleted tool to the day it was deleted on.
    """

    categories: frozenset[str] = frozenset()
    reviewers: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    former: Mapping[str, str] = field(default_factory=dict)
    deleted: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Survey:
    """What a first reading tells of a document: its keys, and which entry has a slug first."""

    keys: set[str] = field(default_factory=set)
    first: dict[str, dict[str, int]] = field(
        default_factory=lambda: {name: {} for name in ("categories", "reviewers", "tools")}
    )
    to_the_end: bool = False


def survey(file: IO[bytes], progress: Progress | None = None) -> Survey:
    """Read a document for its slugs; of a broken one, those ahead of the break."""
    found = Survey()
    try:
        for item in items(file, progress):
            if item.section in _KEYS:
                found.keys.add(item.section)
            first = found.first.get(item.section)
            if first is not None and item.index is not None and isinstance(item.value, dict):
                slug = item.value.get("slug")
                if isinstance(slug, str):
                    first.setdefault(slug, item.index)
        found.to_the_end = True
    except UnreadableError:
        pass  # the checking reads up to the same place and tells
    return found


def faults(
    file: IO[bytes], found: Survey, site: Holdings, progress: Progress | None = None
) -> Iterator[Fault]:
    """Every fault of a document in the order of the file; after MAX_FAULTS it gives up."""
    checker = _Checker(found, site)
    told = 0
    try:
        for item in items(file, progress):
            for fault in checker.of(item):
                yield fault
                told += 1
            if told >= MAX_FAULTS:
                message = f"has more than {MAX_FAULTS:,} faults; the rest of the file was not read"
                yield Fault(DOCUMENT, message)
                return
    except UnreadableError as end:
        yield end.fault
        return
    if "format" not in found.keys:
        yield Fault("format", f"is missing; write {shown(FORMAT)}")


class _Checker:
    """Judges the items of one document in turn."""

    def __init__(self, found: Survey, site: Holdings) -> None:
        self._found = found
        self._site = site
        self._seen: set[str] = set()
        self._skipped = ""  # a key that came twice: the entries under it are not judged again
        self._pairs: dict[str, int] = {}

    def of(self, item: Item) -> Iterable[Fault]:
        """The faults of one item."""
        if item.index is None:
            return self._of_key(item)
        if item.section not in SECTIONS or item.section == self._skipped:
            return ()
        told = [Fault(place, "is given twice; keep one") for place in item.doubled]
        row = SECTIONS[item.section].read(item.value, item.place, told)
        if "slug" in row:
            told += self._of_slug(item, row["slug"])
        if item.section == "tools":
            told += self._of_tool(item.place, row)
        elif item.section == "comparisons" and row.get("tools"):
            told += self._of_pair(item, row["tools"])
        return sorted(told, key=lambda fault: _standing(item, fault))

    def _of_key(self, item: Item) -> Iterator[Fault]:
        name = item.section
        self._skipped = name if name in self._seen else ""
        if name in self._seen:
            yield Fault(item.place, "is given twice; keep one")
        elif name == "format":
            if item.value != FORMAT:
                yield Fault(item.place, f"{shown(item.value)} is not {shown(FORMAT)}")
        elif name not in SECTIONS:
            hint = nearest(name, _KEYS) or f"; its keys are {', '.join(_KEYS)}"
            yield Fault(item.place, f"is not a key of a catalogue{hint}")
        elif not isinstance(item.value, list):
            yield Fault(item.place, f"{shown(item.value)} is not a list of entries")
        if name in _KEYS:
            self._seen.add(name)

    def _of_slug(self, item: Item, slug: str) -> Iterator[Fault]:
        first = self._found.first[item.section].get(slug, item.index)
        if first != item.index:
            message = f"{shown(slug)} is taken by {item.section}[{first}]; choose another"
            yield Fault(f"{item.place}.slug", message)
        if item.section == "tools" and slug not in self._site.tools:
            yield from self._of_earlier(f"{item.place}.slug", slug)

    def _of_earlier(self, place: str, slug: str) -> Iterator[Fault]:
        """What keeps a new tool from a slug that a tool of the site had."""
        if slug in self._site.former:
            now = shown(self._site.former[slug])
            message = f"is an earlier address of {now} and links still lead there; write {now}"
        elif slug in self._site.deleted:
            day = self._site.deleted[slug]
            message = f"is an address under which readers knew a tool that was deleted on {day}; "
            message += "bring that back at the desk"
        else:
            return
        yield Fault(place, f"{shown(slug)} {message}, or choose another slug")

    def _of_tool(self, place: str, row: Row) -> Iterator[Fault]:
        if "category" in row:
            yield from self._of_reference(
                "categories", row["category"], f"{place}.category", self._site.categories
            )
        for at, take in enumerate(row.get("takes") or ()):
            if "reviewer" in take:
                where = f"{place}.takes[{at}].reviewer"
                yield from self._of_reference(
                    "reviewers", take["reviewer"], where, self._site.reviewers
                )

    def _of_pair(self, item: Item, slugs: list[str]) -> Iterator[Fault]:
        place = within(item.place, "tools")
        for at, slug in enumerate(slugs):
            yield from self._of_reference("tools", slug, f"{place}[{at}]", self._site.tools)
        first = self._pairs.setdefault(" ".join(sorted(slugs)), item.index or 0)
        if first != item.index:
            yield Fault(place, f"are the pair of comparisons[{first}] again; keep one")

    def _of_reference(
        self, section: str, slug: str, place: str, held: frozenset[str]
    ) -> Iterator[Fault]:
        ours = self._found.first[section]
        if slug in ours or slug in held or not self._found.to_the_end:
            return
        noun = SECTIONS[section].noun.removeprefix("a ")
        if section == "tools" and slug in self._site.former:
            hint = f"; it is {shown(self._site.former[slug])} now"
        else:
            few = len(ours) + len(held) <= 100
            hint = nearest(slug, ours.keys() | held) if few else ""
        yield Fault(place, f"{shown(slug)} is no {noun} of this file or this site{hint}")


def _standing(item: Item, fault: Fault) -> list[int]:
    """Where a fault of an entry stands in it, for sorting; what is missing stands at the end."""
    standing, value = [], item.value
    for key, index in _STEP.findall(fault.place, len(item.place)):
        if isinstance(value, dict):
            at = list(value).index(key) if key in value else len(value)
            value = value.get(key)
        else:
            at = int(index or 0)
            value = value[at] if isinstance(value, list) and at < len(value) else None
        standing.append(at)
    return standing
