"""Parser events put together to the entries of a document, one at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from shipskip.catalogue.faults import DOCUMENT, Fault, Json, UnreadableError, within

DEEPEST = 12
MAX_ENTRIES = 250_000
MAX_VALUES = 100_000
MAX_CHARACTERS = 10_000_000

Event = tuple[str, Any]


@dataclass(slots=True)
class Item:
    """One piece of the document: a key's value, or one entry of a list under it.

    `index` is None for the key itself; a list then shows as an empty list, ahead of its entries.
    `doubled` holds the places of keys that an object has twice (the first value counts).
    """

    section: str
    index: int | None
    value: Json
    doubled: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it stands, as in `tools[17]`."""
        key = within("", self.section)
        return key if self.index is None else f"{key}[{self.index}]"


class Assembler:
    """Takes parser events and gives items; its memory is bounded whatever the document."""

    def __init__(self) -> None:
        self._begun = False
        self._section = ""
        self._index: int | None = None  # of the latest entry, while inside a section's list
        self._stack: list[Any] = []  # open containers of the entry being put together
        self._path: list[str | int] = []  # where each of them but the first stands in the one above
        self._key = ""
        self._values = self._characters = 0
        self._doubled: list[str] = []

    def feed(self, events: Iterable[Event]) -> Iterator[Item]:
        """The items these events complete; raises UnreadableError at what no catalogue holds."""
        for event, value in events:
            item = None
            if event == "map_key":
                self._name(value)
            elif event == "start_map":
                item = self._open({})
            elif event == "start_array":
                item = self._open([])
            elif event in ("end_map", "end_array"):
                item = self._close()
            else:
                item = self._scalar(value)
            if item:
                yield item

    def place(self) -> str:
        """Where the next value will stand."""
        if not self._section:
            return DOCUMENT
        place = within("", self._section)
        if self._index is not None:
            place = f"{place}[{self._index + 1}]"
        if self._stack:
            top = self._stack[-1]
            for step in [*self._path, self._key if isinstance(top, dict) else len(top)]:
                place = within(place, step) if isinstance(step, str) else f"{place}[{step}]"
        return place

    def _name(self, key: str) -> None:
        if self._stack:
            self._key = key
            self._weigh(key)
        else:
            self._section = key

    def _open(self, container: dict[str, Json] | list[Json]) -> Item | None:
        if self._stack:
            step = self._key if isinstance(self._stack[-1], dict) else len(self._stack[-1])
            if len(self._stack) == DEEPEST:
                raise self._refuse(f"is nested more than {DEEPEST} deep, as no catalogue is")
            self._attach(container)
            self._path.append(step)
            self._stack.append(container)
        elif not self._begun:
            if isinstance(container, list):
                raise self._refuse("is a list; a catalogue is an object with the key format")
            self._begun = True
        elif self._index is None and isinstance(container, list):
            self._index = -1
            return Item(self._section, None, [])
        else:
            self._stack.append(container)
        return None

    def _close(self) -> Item | None:
        if not self._stack:
            self._index = None
            return None
        done = self._stack.pop()
        if self._path:
            self._path.pop()
        return None if self._stack else self._item(done)

    def _scalar(self, value: Json) -> Item | None:
        if self._stack:
            self._attach(value)
            return None
        if not self._begun:
            raise self._refuse("is a single value; a catalogue is an object with the key format")
        return self._item(value)

    def _attach(self, value: Json) -> None:
        self._weigh(value)
        top = self._stack[-1]
        if isinstance(top, list):
            top.append(value)
        elif self._key in top:
            self._doubled.append(self.place())
        else:
            top[self._key] = value

    def _weigh(self, value: Json) -> None:
        self._values += 1
        if isinstance(value, str):
            self._characters += len(value)
        if self._values > MAX_VALUES or self._characters > MAX_CHARACTERS:
            raise self._refuse(
                f"is too much for one entry: {MAX_VALUES:,} values or "
                f"{MAX_CHARACTERS:,} characters are the most"
            )

    def _item(self, value: Json) -> Item:
        if self._index is not None:
            if self._index + 1 == MAX_ENTRIES:
                raise self._refuse(f"is one too many: {MAX_ENTRIES:,} entries are the most")
            self._index += 1
        item = Item(self._section, self._index, value, self._doubled)
        self._doubled, self._values, self._characters = [], 0, 0
        return item

    def _refuse(self, message: str) -> UnreadableError:
        return UnreadableError(Fault(self.place(), f"{message}; the rest of the file was not read"))
