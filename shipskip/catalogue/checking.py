"""What is wrong with a document as a whole: entry by entry, and between entries. No database."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shipskip.catalogue.faults import DOCUMENT, MAX_FAULTS, Fault, Json, shown, within
from shipskip.catalogue.reading import Document, Doubled, Progress
from shipskip.catalogue.schema import FORMAT, SECTIONS, Row
from shipskip.catalogue.values import nearest

_KEYS = ("format", *SECTIONS)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_OFTEN = 500
"""Progress is reported each so many entries."""

Rows = dict[str, list[Row]]
"""The rows of each section of a document."""


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


def check(
    document: Document, site: Holdings, progress: Progress | None = None
) -> tuple[Rows, list[Fault]]:
    """The rows of a document, and every fault in the order of the file; after MAX_FAULTS it gives
    up. An entry leaves the document as its row is made, so that only one of them takes memory.
    """
    checker = _Checker(document, site)
    rows: Rows = {name: [] for name in SECTIONS}
    faults: list[Fault] = []
    for name, value in document.sections.items():
        faults += checker.of_key(name, value)
        entries = value if isinstance(value, list) and name in SECTIONS else []
        for at, entry in enumerate(entries):
            if progress and at % _OFTEN == 0:
                progress(f"Checking {name}", at, len(entries))
            row, wrong = checker.of_entry(name, at, entry)
            rows[name].append(row)
            faults += wrong
            entries[at] = None
            if len(faults) >= MAX_FAULTS:
                message = f"has more than {MAX_FAULTS:,} faults; the rest of the file was not read"
                return rows, [*faults, Fault(DOCUMENT, message)]
    if isinstance(document.sections, Doubled):
        again = document.sections.again
        faults += [Fault(within("", name), "is given twice; keep one") for name in again]
    if document.fault:
        faults.append(document.fault)
    elif "format" not in document.sections:
        faults.append(Fault("format", f"is missing; write {shown(FORMAT)}"))
    return rows, faults


class _Checker:
    """Judges the keys and entries of one document in turn."""

    def __init__(self, document: Document, site: Holdings) -> None:
        sections = document.sections
        self._site = site
        self._whole = not document.fault
        self._first = {name: _slugs(sections.get(name)) for name in SECTIONS}
        self._pairs: dict[frozenset[str], int] = {}

    def of_key(self, name: str, value: Json) -> Iterator[Fault]:
        """The faults of a key of the document, without those of its entries."""
        place = within("", name)
        if name == "format":
            if value != FORMAT:
                yield Fault(place, f"{shown(value)} is not {shown(FORMAT)}")
        elif name not in SECTIONS:
            hint = nearest(name, _KEYS) or f"; its keys are {', '.join(_KEYS)}"
            yield Fault(place, f"is not a key of a catalogue{hint}")
        elif not isinstance(value, list):
            yield Fault(place, f"{shown(value)} is not a list of entries")

    def of_entry(self, section: str, at: int, entry: Json) -> tuple[Row, list[Fault]]:
        """The row of an entry and its faults, in the order of its keys."""
        place = f"{section}[{at}]"
        faults: list[Fault] = []
        row = SECTIONS[section].read(entry, place, faults)
        if "slug" in row:
            faults += self._of_slug(section, at, row["slug"])
        if section == "tools":
            faults += self._of_tool(place, row)
        elif section == "comparisons" and row.get("tools"):
            faults += self._of_pair(at, f"{place}.tools", row["tools"])
        if len(faults) > 1:
            faults.sort(key=lambda fault: _standing(place, entry, fault))
        return row, faults

    def _of_slug(self, section: str, at: int, slug: str) -> Iterator[Fault]:
        place = f"{section}[{at}].slug"
        first = self._first[section][slug]
        if first != at:
            message = f"{shown(slug)} is taken by {section}[{first}]; choose another"
            yield Fault(place, message)
        if section == "tools" and slug not in self._site.tools:
            yield from self._of_earlier(place, slug)

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
            yield from self._of_reference("categories", row["category"], f"{place}.category")
        for at, take in enumerate(row.get("takes") or ()):
            if "reviewer" in take:
                where = f"{place}.takes[{at}].reviewer"
                yield from self._of_reference("reviewers", take["reviewer"], where)

    def _of_pair(self, at: int, place: str, slugs: list[str]) -> Iterator[Fault]:
        for which, slug in enumerate(slugs):
            yield from self._of_reference("tools", slug, f"{place}[{which}]")
        first = self._pairs.setdefault(frozenset(slugs), at)
        if first != at:
            yield Fault(place, f"are the pair of comparisons[{first}] again; keep one")

    def _of_reference(self, section: str, slug: str, place: str) -> Iterator[Fault]:
        """A broken document may have what is referred to in its other part."""
        held: frozenset[str] = getattr(self._site, section)
        ours = self._first[section]
        if slug in ours or slug in held or not self._whole:
            return
        noun = SECTIONS[section].noun.removeprefix("a ")
        if section == "tools" and slug in self._site.former:
            hint = f"; it is {shown(self._site.former[slug])} now"
        else:
            few = len(ours) + len(held) <= 100
            hint = nearest(slug, ours.keys() | held) if few else ""
        yield Fault(place, f"{shown(slug)} is no {noun} of this file or this site{hint}")


def _slugs(entries: Json) -> dict[str, int]:
    """Which entry has a slug first."""
    first: dict[str, int] = {}
    for at, entry in enumerate(entries if isinstance(entries, list) else ()):
        slug = entry.get("slug") if isinstance(entry, dict) else None
        if isinstance(slug, str):
            first.setdefault(slug, at)
    return first


def _standing(place: str, entry: Json, fault: Fault) -> list[int]:
    """Where a fault of an entry stands in it, for sorting; what is missing stands at the end."""
    standing, value = [], entry
    for key, index in _STEP.findall(fault.place, len(place)):
        if isinstance(value, dict):
            at = list(value).index(key) if key in value else len(value)
            value = value.get(key)
        else:
            at = int(index or 0)
            value = value[at] if isinstance(value, list) and at < len(value) else None
        standing.append(at)
    return standing
