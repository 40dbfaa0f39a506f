"""A file's entries, checked one by one and kept packed: a catalogue takes several times its size as
objects.
"""

import pickle
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import ValidationError

from shipskip.catalogue.entries import COMPARISON, FORMATS, TOOL, Entry
from shipskip.catalogue.faults import (
    DOCUMENT,
    MAX_FAULTS,
    Fault,
    InvalidFileError,
    Json,
    Path,
    json_place,
    quoted,
)
from shipskip.catalogue.rows import Values
from shipskip.catalogue.sentences import faults_of

FaultAt: TypeAlias = tuple[Path | str, str]
"""A fault: the path to its value, or its place in words, and a sentence."""
MAX_COUNTED = 100_000
"""How many of the entries that are not looked at are counted."""


class RepeatedKeys(dict[str, Json]):
    """An object with duplicate keys, which are in `repeated`; their first values count."""

    def __init__(self, items: Sequence[tuple[str, Json]]) -> None:
        super().__init__()
        self.repeated: list[str] = []
        for key, value in items:
            if key not in self:
                self[key] = value
            elif key not in self.repeated:
                self.repeated.append(key)


@dataclass
class Document:
    """What a file contains. Of a faulty entry only the valid keys are kept, for further checks.

    A CSV file has one take or fact in each entry of `tools`, which must exist; its lists are not
    complete.
    """

    kinds: Sequence[str]
    """The kinds of rows that such a file contains, for its report."""
    lines: list[int] | None = None
    """The line of each entry of a CSV file."""
    format: int = len(FORMATS)
    """The number of its format."""
    is_whole: bool = True
    """Whether the whole file was read; if not, a reference may lead to the unread part."""
    packed: dict[str, list[bytes]] = field(default_factory=dict)
    """The entries by list, in the order of the file."""
    slugs: dict[str, dict[str, int]] = field(default_factory=dict)
    """The first entry of each slug, by list."""
    has_licence: bool = False
    """Whether a tool has its licence by the key `license`."""
    imported_from: str = ""
    """The name of the source of open data that it is from; empty for an editor's document."""
    source_ids: dict[str, str] = field(default_factory=dict)
    """The slug of the first tool with each source id."""
    implied: set[str] = field(default_factory=set)
    """The lists that only we made."""
    asks: list[str] = field(default_factory=list)
    """What an editor has to say of its spelling, as names of Spelling's fields."""
    unseen: int = 0
    """How many entries were not looked at, because there were too many faults."""
    _faults: list[FaultAt] = field(default_factory=list)
    _faulty: set[Path] = field(default_factory=set)
    _later: dict[Path, str] = field(default_factory=dict)
    _stored_slugs: dict[str, str] = field(default_factory=dict)
    """The slug on the site of each tool that the file calls otherwise."""

    @property
    def is_csv(self) -> bool:
        """Whether it is a CSV file."""
        return self.lines is not None

    @property
    def is_full(self) -> bool:
        """Whether it has so many faults that nothing more is checked."""
        return len(self._faults) + len(self._later) >= MAX_FAULTS

    def has_fault(self, path: Path) -> bool:
        """Whether an entry or a value has a fault."""
        return path in self._faulty

    def add_fault(self, place: Path | str, sentence: str) -> None:
        """Note a fault of the value that a path leads to."""
        self._faults.append((place, sentence))
        if not isinstance(place, str):
            self._faulty |= {place, place[:2]}

    def add_later_key(self, path: Path, since: int) -> None:
        """Note a key of a later format; it is the only fault of its value."""
        newer = quoted(FORMATS[since - 1])
        self._later[path] = f"is a key of {newer}; write that as the file’s format"
        self._faulty.add(path[:2])

    def next_path(self, section: str) -> Path:
        """The path of the entry that is kept next."""
        return section, self.number_of(section)

    def checked(
        self, model: type[Entry], raw: Json, path: Path, known: Mapping[Path, str] | None = None
    ) -> Values:
        """The valid values of an object, None in place of the others, whose faults are noted;
        `known` are those of values that are None already.
        """
        found = dict(known or {})
        try:
            values = model.model_validate(raw).model_dump(exclude_unset=True)
        except ValidationError as error:
            wrong = dict(faults_of(error, model, "an empty cell" if self.is_csv else "null"))
            values = _pruned(raw, list(wrong))
            found = wrong | found
        for place, sentence in found.items():
            self.add_fault((*path, *place), sentence)
        for place in _repeated(raw):
            self.add_fault((*path, *place), "is given twice; keep one")
        return values

    def keep(self, section: str, values: Values, line: int | None = None) -> None:
        """Keep an entry, and its line in a CSV file."""
        entries = self.packed.setdefault(section, [])
        self.has_licence |= bool(values.get("license"))
        if self.lines is not None and line is not None:
            self.lines.append(line)
        elif isinstance(slug := values.get("slug"), str):
            self.slugs.setdefault(section, {}).setdefault(slug, len(entries))
            source_id = values.get("source_id")
            if section == TOOL.name and source_id and isinstance(source_id, str):
                self.source_ids.setdefault(source_id, slug)
        entries.append(zlib.compress(pickle.dumps(values), 1))

    def entry(self, section: str, index: int) -> Values:
        """One entry."""
        values: Values = pickle.loads(zlib.decompress(self.packed[section][index]))  # noqa: S301 - ours
        return self._with_stored_slugs(section, values) if self._stored_slugs else values

    def use_stored_slugs(self, stored: Mapping[str, str]) -> None:
        """Give the tools with these source ids the slugs that they have on the site."""
        self._stored_slugs = {
            own: stored[source_id]
            for source_id, own in self.source_ids.items()
            if stored.get(source_id, own) != own
        }
        tools = self.slugs.get(TOOL.name, {})
        for own, slug in self._stored_slugs.items():
            tools.setdefault(slug, tools[own])

    def _with_stored_slugs(self, section: str, values: Values) -> Values:
        """An entry with the slugs of the site."""
        slugs = self._stored_slugs
        if section == TOOL.name and values.get("slug") in slugs:
            return values | {"slug": slugs[values["slug"]]}
        if section == COMPARISON.name and isinstance(values.get("tools"), list):
            values = values | {"tools": [slugs.get(slug, slug) for slug in values["tools"]]}
            if isinstance(texts := values.get("choose_if"), dict):
                values["choose_if"] = {slugs.get(slug, slug): text for slug, text in texts.items()}
        return values

    def entries(self, section: str) -> Iterator[Values]:
        """The entries of a list; only one of them is in memory."""
        return (self.entry(section, at) for at in range(self.number_of(section)))

    def number_of(self, section: str) -> int:
        """How many entries a list has."""
        return len(self.packed.get(section, ()))

    def refuse(self) -> None:
        """Raise InvalidFileError with all faults, in the order of the file, if there are any."""
        faults: list[FaultAt] = list(self._later.items())
        faults += [each for each in self._faults if not self._is_later(each[0])]
        if not faults:
            return
        faults.sort(key=lambda fault: self._rank(fault[0]))
        if self.unseen:
            what = "rows" if self.is_csv else "entries"
            more = "more than " if self.unseen > MAX_COUNTED else ""
            number = f"{more}{min(self.unseen, MAX_COUNTED):,}"
            sentence = f"has at least {MAX_FAULTS} faults; {number} {what} were not looked at"
            faults.append((DOCUMENT, sentence))
        raise InvalidFileError(
            [Fault(self.place_of(at), sentence, self._subject(at)) for at, sentence in faults],
            self.asks,
        )

    def _subject(self, place: Path | str) -> str:
        """The name of the entry that a value is in, else its slug; empty in a CSV file, whose lines
        have numbers."""
        if self.lines is not None or isinstance(place, str) or len(place) < 2:
            return ""
        values = self.entry(str(place[0]), int(place[1])) if place[0] in self.packed else {}
        names = (values.get(key) for key in ("name", "slug"))
        return next((name for name in names if name and isinstance(name, str)), "")

    def _is_later(self, place: Path | str) -> bool:
        """Whether a value is that of a key of a later format, or within it."""
        return any(place[: len(path)] == path for path in self._later)

    def _rank(self, place: Path | str) -> list[int]:
        """The position of a value in the file; missing keys and the file itself come last."""
        sections = list(self.packed)
        if isinstance(place, str) or len(place) < 2 or place[0] not in sections:
            return [len(sections)]
        section, index = str(place[0]), int(place[1])
        rank = [sections.index(section), index]
        found: Any = self.entry(section, index)
        for step in place[2:]:
            if isinstance(step, int):
                rank.append(step)
                found = found[step] if isinstance(found, list) and step < len(found) else None
            else:
                keys = list(found) if isinstance(found, dict) else []
                rank.append(keys.index(step) if step in keys else len(keys))
                found = found[step] if step in keys else None
        return rank

    def place_of(self, path: Path | str) -> str:
        """A place in words: `tools[17].slug`, or `line 18, tool`."""
        if isinstance(path, str):
            return path
        if self.lines is None:
            return json_place(path)
        column = "" if len(path) in (2, 4) else ", tool" if path[2] == "slug" else f", {path[4]}"
        return f"line {self.lines[int(path[1])]}{column}"


def _repeated(raw: Json) -> Iterator[Path]:
    """The places of the keys that are given twice."""
    if isinstance(raw, RepeatedKeys):
        yield from ((key,) for key in raw.repeated)
    if isinstance(raw, dict | list):
        for step, value in raw.items() if isinstance(raw, dict) else enumerate(raw):
            yield from ((step, *path) for path in _repeated(value))


def _pruned(raw: Json, paths: Sequence[Path]) -> Values:
    """An object with None in place of each faulty value."""
    if not isinstance(raw, dict) or () in paths:
        return {}
    for path in paths:
        *steps, last = path
        value: Any = raw
        for step in steps:
            value = value[step] if value else None
        if value and (isinstance(last, int) or last in value):
            value[last] = None
    return dict(raw)
