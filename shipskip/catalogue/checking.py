"""Check a whole document: each entry, and references between entries. No database."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from shipskip.catalogue.entry_parsers import FORMAT, EntryRow
from shipskip.catalogue.fact_checking import DocumentQuestions, questions_of, tools_of
from shipskip.catalogue.faults import DOCUMENT, MAX_FAULTS, Fault, Json, key_place, quoted
from shipskip.catalogue.reading import PACKED_SECTION, Document, PackedEntry, Progress, RepeatedKeys
from shipskip.catalogue.schema import SECTIONS, SECTIONS_OF
from shipskip.catalogue.value_parsers import did_you_mean
from shipskip.search.models import Synonym

_KEYS = ("format", *SECTIONS)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
MAX_COMPARED, MAX_HINTS = 1_000, 100
"""Limits of the search for the nearest slug: the known slugs, and the wrong ones with a hint."""
_PROGRESS_STEP = 500
"""Progress is reported once for this many entries."""

SectionRows = dict[str, Sequence[EntryRow]]
"""The rows of each section of a document; those of tools are created again on each access."""


@dataclass(frozen=True)
class SiteSlugs:
    """The slugs that the site has; `former` maps a tool's earlier slugs to its present one,
    `deleted` the slugs of deleted tools that were public to the date of the deletion.
    """

    categories: frozenset[str] = frozenset()
    reviewers: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    former: Mapping[str, str] = field(default_factory=dict)
    deleted: Mapping[str, str] = field(default_factory=dict)


def check(
    document: Document,
    site: SiteSlugs,
    questions: DocumentQuestions | None = None,
    progress: Progress | None = None,
) -> tuple[SectionRows, list[Fault]]:
    """The rows of a document, and every fault in the order of the file; it stops after MAX_FAULTS.
    An entry is removed from the document when its row is made, to save memory, except for tools.

    `questions` are the attributes that the site has.
    """
    checker = _Checker(document, site, questions or DocumentQuestions())
    rows: dict[str, list[EntryRow]] = {name: [] for name in SECTIONS}
    faults: list[Fault] = []
    for name, value in document.sections.items():
        faults += checker.check_key(name, value)
        entries = value if isinstance(value, list) and name in checker.parsers else []
        for at, entry in enumerate(entries):
            if progress and at % _PROGRESS_STEP == 0:
                progress(f"Checking {name}", at, len(entries))
            row, wrong = checker.check_entry(name, at, entry)
            faults += wrong
            if name != PACKED_SECTION:
                rows[name].append(row)
                entries[at] = None
            if len(faults) >= MAX_FAULTS:
                message = f"has more than {MAX_FAULTS:,} faults; the rest of the file was not read"
                return {}, [*faults, Fault(DOCUMENT, message)]
    if isinstance(document.sections, RepeatedKeys):
        again = document.sections.repeated
        faults += [Fault(key_place("", name), "is given twice; keep one") for name in again]
    if document.fault:
        faults.append(document.fault)
    elif "format" not in document.sections:
        faults.append(Fault("format", f"is missing; write {quoted(FORMAT)}"))
    return {
        **rows,
        PACKED_SECTION: _PackedRows(checker, document.sections.get(PACKED_SECTION)),
    }, faults


class _PackedRows(Sequence[EntryRow]):
    """The rows of a document's packed entries; only one is in memory."""

    def __init__(self, checker: "_Checker", entries: Json) -> None:
        self._checker = checker
        self._entries = entries if isinstance(entries, list) else []

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, at: int) -> EntryRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[EntryRow]: ...

    def __getitem__(self, at: int | slice) -> EntryRow | list[EntryRow]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        return self._checker.check_entry(PACKED_SECTION, at, self._entries[at])[0]


class _Checker:
    """Check the keys and entries of one document in their order."""

    def __init__(self, document: Document, site: SiteSlugs, questions: DocumentQuestions) -> None:
        sections = document.sections
        self._site = site
        self._whole = not document.fault
        self._first = {name: _slugs(sections.get(name)) for name in SECTIONS}
        self._sets: dict[frozenset[str], int] = {}
        self._words: dict[str, int] = {}
        self._hints: dict[tuple[str, str], str] = {}
        self._questions = replace(
            questions,
            given=questions_of(sections.get("attributes"), questions.site),
            tools=tools_of(sections.get("tools")),
        )
        self._former = _former_slugs(sections.get("tools"))
        self.parsers = SECTIONS
        """The sections that the document's format has."""
        for given, parsers in SECTIONS_OF.items():
            if sections.get("format") == given:
                self.parsers = parsers

    def check_key(self, name: str, value: Json) -> Iterator[Fault]:
        """The faults of a key of the document, without those of its entries."""
        place = key_place("", name)
        if name == "format":
            if value not in list(SECTIONS_OF):
                known = " or ".join(map(quoted, SECTIONS_OF))
                yield Fault(place, f"{quoted(value)} is not {known}")
        elif name in SECTIONS and name not in self.parsers:
            message = f"is a key of {quoted(FORMAT)}; write that as the file’s format"
            yield Fault(place, message)
        elif name not in SECTIONS:
            hint = did_you_mean(name, _KEYS) or f"; its keys are {', '.join(_KEYS)}"
            yield Fault(place, f"is not a key of a catalogue{hint}")
        elif not isinstance(value, list):
            yield Fault(place, f"{quoted(value)} is not a list of entries")

    def check_entry(self, section: str, at: int, entry: Json) -> tuple[EntryRow, list[Fault]]:
        """The row of an entry and its faults, in the order of its keys."""
        place = f"{section}[{at}]"
        faults: list[Fault] = []
        if isinstance(entry, PackedEntry):
            entry = entry.whole()
        row = self.parsers[section].parse(entry, place, faults)
        if "slug" in row:
            faults += self._check_slug(section, at, row["slug"])
        if section == "attributes":
            faults += self._check_attribute(at, place, row)
        elif section == "tools":
            faults += self._check_tool(place, row)
        elif section == "comparisons" and row.get("tools"):
            faults += self._check_tools(at, f"{place}.tools", row["tools"])
            faults += _check_texts(f"{place}.choose_if", row)
        elif section == "synonyms":
            faults += self._check_synonym(at, place, row)
        if len(faults) > 1:
            faults.sort(key=lambda fault: _position(place, entry, fault))
        return row, faults

    def _check_synonym(self, at: int, place: str, row: EntryRow) -> Iterator[Fault]:
        """A fault for a side without a letter or digit, and for a word that was given before."""
        for name in ("word", "means"):
            if name in row and not Synonym.key_of(row[name]):
                yield Fault(f"{place}.{name}", f"{quoted(row[name])} has no letter or digit")
        key = Synonym.key_of(row.get("word", ""))
        if key and key == Synonym.key_of(row.get("means", "")):
            yield Fault(f"{place}.means", "is the same as the word to a search; leave this out")
        first = self._words.setdefault(key, at) if key else at
        if first != at:
            yield Fault(f"{place}.word", f"is that of synonyms[{first}] again; keep one")

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
            message = f"is an earlier address of {now}, and old links still use it; write {now}"
        elif slug in self._site.deleted:
            day = self._site.deleted[slug]
            message = f"was the address of a public tool that was deleted on {day}; "
            message += "bring that tool back at the desk"
        else:
            return
        yield Fault(place, f"{quoted(slug)} {message}, or choose another slug")

    def _check_attribute(self, at: int, place: str, row: EntryRow) -> Iterator[Fault]:
        for which, category in enumerate(row.get("categories") or ()):
            yield from self._check_reference("categories", category, f"{place}.categories[{which}]")
        if "slug" in row and self._first["attributes"][row["slug"]] == at:
            yield from self._questions.faults_of_attribute(place, row["slug"])

    def _check_tool(self, place: str, row: EntryRow) -> Iterator[Fault]:
        if "category" in row:
            yield from self._check_reference("categories", row["category"], f"{place}.category")
        if row.get("family"):
            yield from self._check_reference("families", row["family"], f"{place}.family")
        for at, slug in enumerate(row.get("former_slugs") or ()):
            yield from self._check_former(f"{place}.former_slugs[{at}]", slug, row.get("slug"))
        for at, fact in enumerate(row.get("facts") or ()):
            if "attribute" in fact:
                where = f"{place}.facts[{at}]"
                yield from self._check_reference(
                    "attributes", fact["attribute"], f"{where}.attribute"
                )
                yield from self._questions.answer(where, fact, row.get("category"))
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
        """A fault if no row has the slug; in a broken document it may be in the unread part."""
        on_site: frozenset[str] = getattr(self._site, section)
        ours = self._first[section]
        if slug in ours or slug in on_site or not self._whole:
            return
        noun = SECTIONS[section].noun.partition(" ")[2]
        if section == "tools" and slug in self._site.former:
            hint = f"; it is {quoted(self._site.former[slug])} now"
        else:
            hint = self._hint(section, slug)
        yield Fault(place, f"{quoted(slug)} is no {noun} of this file or this site{hint}")

    def _hint(self, section: str, slug: str) -> str:
        """The nearest slug; for the first wrong ones only, because many would take minutes."""
        known = {*self._first[section], *getattr(self._site, section)}
        most = MAX_COMPARED if len(self._hints) < MAX_HINTS else 0
        if (section, slug) not in self._hints:
            self._hints[section, slug] = did_you_mean(slug, known, most)
        return self._hints[section, slug]

    def _check_former(self, place: str, slug: str, tool: str | None) -> Iterator[Fault]:
        """A fault if an earlier slug of a tool belongs to another one, or is its present slug."""
        if tool is None:
            return
        if slug == tool:
            message = "is its present slug; leave it out here"
        elif slug in self._first["tools"]:
            message = f"is the slug of tools[{self._first['tools'][slug]}]; leave it out here"
        elif slug in self._site.tools:
            message = "is the slug of another tool of this site; leave it out here"
        elif self._former[slug] != tool:
            message = f"is an earlier slug of {quoted(self._former[slug])} too; keep one"
        elif self._site.former.get(slug, tool) != tool:
            now = quoted(self._site.former[slug])
            message = f"is an earlier slug of {now} on this site; leave it out here"
        elif slug in self._site.deleted:
            day = self._site.deleted[slug]
            message = f"was the address of a public tool that was deleted on {day}; "
            message += "leave it out here"
        else:
            return
        yield Fault(place, f"{quoted(slug)} {message}")


def _check_texts(place: str, row: EntryRow) -> Iterator[Fault]:
    """A fault for each text on a tool that is not in the comparison."""
    for slug in row.get("choose_if", ()):
        if slug not in row["tools"]:
            message = f"{quoted(slug)} is not one of this comparison’s tools"
            hint = did_you_mean(slug, row["tools"]) or f"; they are {', '.join(row['tools'])}"
            yield Fault(key_place(place, slug), f"{message}{hint}")


def _slugs(entries: Json) -> dict[str, int]:
    """Map each slug to the index of the first entry that has it."""
    first: dict[str, int] = {}
    for at, entry in enumerate(entries if isinstance(entries, list) else ()):
        slug = entry.get("slug") if isinstance(entry, dict) else None
        if isinstance(slug, str):
            first.setdefault(slug, at)
    return first


def _former_slugs(entries: Json) -> dict[str, str]:
    """Map each earlier slug to the first tool that has it."""
    first: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else ():
        former = entry.get("former_slugs") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(former, list):
            for each in former:
                if isinstance(each, str):
                    first.setdefault(each, str(entry.get("slug")))
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
