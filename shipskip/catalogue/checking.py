"""Checks a whole document: each entry, and references between entries. No database."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shipskip.catalogue.faults import DOCUMENT, MAX_FAULTS, Fault, Json, key_place, quoted
from shipskip.catalogue.reading import Document, Progress, RepeatedKeys
from shipskip.catalogue.schema import FORMAT, SECTIONS, SECTIONS_OF, Row
from shipskip.catalogue.values import nearest

_KEYS = ("format", *SECTIONS)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_PROGRESS_STEP = 500
"""Progress is reported once for this many entries."""

Rows = dict[str, list[Row]]
"""The rows of each section of a document."""


@dataclass(frozen=True)
class SiteSlugs:
    """The slugs that the site has; `former` maps a tool's earlier slugs to its present one,
    `deleted` the slugs under which readers knew a deleted tool to the date of its deletion.
    """

    categories: frozenset[str] = frozenset()
    reviewers: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    former: Mapping[str, str] = field(default_factory=dict)
    deleted: Mapping[str, str] = field(default_factory=dict)


def check(
    document: Document, site: SiteSlugs, progress: Progress | None = None
) -> tuple[Rows, list[Fault]]:
    """The rows of a document, and every fault in the order of the file; it stops after MAX_FAULTS.
    An entry is removed from the document when its row is made, to save memory.
    """
    checker = _Checker(document, site)
    rows: Rows = {name: [] for name in SECTIONS}
    faults: list[Fault] = []
    for name, value in document.sections.items():
        faults += checker.check_key(name, value)
        entries = value if isinstance(value, list) and name in SECTIONS else []
        for at, entry in enumerate(entries):
            if progress and at % _PROGRESS_STEP == 0:
                progress(f"Checking {name}", at, len(entries))
            row, wrong = checker.check_entry(name, at, entry)
            rows[name].append(row)
            faults += wrong
            entries[at] = None
            if len(faults) >= MAX_FAULTS:
                message = f"has more than {MAX_FAULTS:,} faults; the rest of the file was not read"
                return rows, [*faults, Fault(DOCUMENT, message)]
    if isinstance(document.sections, RepeatedKeys):
        again = document.sections.repeated
        faults += [Fault(key_place("", name), "is given twice; keep one") for name in again]
    if document.fault:
        faults.append(document.fault)
    elif "format" not in document.sections:
        faults.append(Fault("format", f"is missing; write {quoted(FORMAT)}"))
    return rows, faults


class _Checker:
    """Checks the keys and entries of one document in turn."""

    def __init__(self, document: Document, site: SiteSlugs) -> None:
        sections = document.sections
        self._site = site
        self._whole = not document.fault
        self._first = {name: _slugs(sections.get(name)) for name in SECTIONS}
        self._sets: dict[frozenset[str], int] = {}
        self._shapes = SECTIONS
        for given, shapes in SECTIONS_OF.items():
            if sections.get("format") == given:
                self._shapes = shapes

    def check_key(self, name: str, value: Json) -> Iterator[Fault]:
        """The faults of a key of the document, without those of its entries."""
        place = key_place("", name)
        if name == "format":
            if value not in list(SECTIONS_OF):
                known = " or ".join(map(quoted, SECTIONS_OF))
                yield Fault(place, f"{quoted(value)} is not {known}")
        elif name not in SECTIONS:
            hint = nearest(name, _KEYS) or f"; its keys are {', '.join(_KEYS)}"
            yield Fault(place, f"is not a key of a catalogue{hint}")
        elif not isinstance(value, list):
            yield Fault(place, f"{quoted(value)} is not a list of entries")

    def check_entry(self, section: str, at: int, entry: Json) -> tuple[Row, list[Fault]]:
        """The row of an entry and its faults, in the order of its keys."""
        place = f"{section}[{at}]"
        faults: list[Fault] = []
        row = self._shapes[section].parse(entry, place, faults)
        if "slug" in row:
            faults += self._check_slug(section, at, row["slug"])
        if section == "tools":
            faults += self._check_tool(place, row)
        elif section == "comparisons" and row.get("tools"):
            faults += self._check_tools(at, f"{place}.tools", row["tools"])
            faults += _check_texts(f"{place}.choose_if", row)
        if len(faults) > 1:
            faults.sort(key=lambda fault: _position(place, entry, fault))
        return row, faults

    def _check_slug(self, section: str, at: int, slug: str) -> Iterator[Fault]:
        place = f"{section}[{at}].slug"
        first = self._first[section][slug]
        if first != at:
            message = f"{quoted(slug)} is taken by {section}[{first}]; choose another"
            yield Fault(place, message)
        if section == "tools" and slug not in self._site.tools:
            yield from self._check_earlier(place, slug)

    def _check_earlier(self, place: str, slug: str) -> Iterator[Fault]:
        """A fault if a new tool has a slug that another tool of the site had."""
        if slug in self._site.former:
            now = quoted(self._site.former[slug])
            message = f"is an earlier address of {now} and links still lead there; write {now}"
        elif slug in self._site.deleted:
            day = self._site.deleted[slug]
            message = f"is an address under which readers knew a tool that was deleted on {day}; "
            message += "bring that tool back at the desk"
        else:
            return
        yield Fault(place, f"{quoted(slug)} {message}, or choose another slug")

    def _check_tool(self, place: str, row: Row) -> Iterator[Fault]:
        if "category" in row:
            yield from self._check_reference("categories", row["category"], f"{place}.category")
        for at, take in enumerate(row.get("takes") or ()):
            if "reviewer" in take:
                where = f"{place}.takes[{at}].reviewer"
                yield from self._check_reference("reviewers", take["reviewer"], where)

    def _check_tools(self, at: int, place: str, slugs: list[str]) -> Iterator[Fault]:
        for which, slug in enumerate(slugs):
            yield from self._check_reference("tools", slug, f"{place}[{which}]")
        first = self._sets.setdefault(frozenset(slugs), at)
        if first != at:
            yield Fault(place, f"are the tools of comparisons[{first}] again; keep one")

    def _check_reference(self, section: str, slug: str, place: str) -> Iterator[Fault]:
        """A fault if nothing has the slug; in a broken document it may be in the unread part."""
        on_site: frozenset[str] = getattr(self._site, section)
        ours = self._first[section]
        if slug in ours or slug in on_site or not self._whole:
            return
        noun = SECTIONS[section].noun.removeprefix("a ")
        if section == "tools" and slug in self._site.former:
            hint = f"; it is {quoted(self._site.former[slug])} now"
        else:
            few = len(ours) + len(on_site) <= 100
            hint = nearest(slug, ours.keys() | on_site) if few else ""
        yield Fault(place, f"{quoted(slug)} is no {noun} of this file or this site{hint}")


def _check_texts(place: str, row: Row) -> Iterator[Fault]:
    """A fault for each text on a tool that is not in the comparison."""
    for slug in row.get("choose_if", ()):
        if slug not in row["tools"]:
            message = f"{quoted(slug)} is not one of this comparison’s tools"
            hint = nearest(slug, row["tools"]) or f"; they are {', '.join(row['tools'])}"
            yield Fault(key_place(place, slug), f"{message}{hint}")


def _slugs(entries: Json) -> dict[str, int]:
    """Which entry has a slug first."""
    first: dict[str, int] = {}
    for at, entry in enumerate(entries if isinstance(entries, list) else ()):
        slug = entry.get("slug") if isinstance(entry, dict) else None
        if isinstance(slug, str):
            first.setdefault(slug, at)
    return first


def _position(place: str, entry: Json, fault: Fault) -> list[int]:
    """The position of a fault in its entry, for sorting; missing keys come last."""
    position, value = [], entry
    for key, index in _STEP.findall(fault.place, len(place)):
        if isinstance(value, dict):
            at = list(value).index(key) if key in value else len(value)
            value = value.get(key)
        else:
            at = int(index or 0)
            value = value[at] if isinstance(value, list) and at < len(value) else None
        position.append(at)
    return position
