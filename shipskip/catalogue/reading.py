"""Read a catalogue document as one JSON object, or find the place where it is broken.

A file is parsed incrementally, and its tools stay compressed in memory: with their facts they would
take several times the size of the file.
"""

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import SEEK_END
from typing import IO

from shipskip.catalogue.faults import DOCUMENT, Fault, InvalidFileError, Json, SiteChangedError

MAX_MEGABYTES = 1_000
MAX_DEPTH = 12

Progress = Callable[[str, int, int], None]
"""A callback with the name of a stage (`Checking tools`), the steps done, and all its steps."""

PACKED_SECTION = "tools"
"""The section whose entries are kept compressed."""
_KEPT = ("slug", "category", "former_slugs")
PIECE = 1024**2
"""The minimum number of characters for one read."""
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}


class RepeatedKeys(dict[str, Json]):
    """An object with duplicate keys, which are in `repeated`; their first values count."""

    def __init__(self, items: list[tuple[str, Json]]) -> None:
        super().__init__()
        self.repeated: list[str] = []
        for key, value in items:
            if key not in self:
                self[key] = value
            elif key not in self.repeated:
                self.repeated.append(key)


class PackedEntry(dict[str, Json]):
    """A tool whose keys are compressed, except those that the rest of the document refers to."""

    __slots__ = ("_data",)

    def __init__(self, entry: dict[str, Json], text: str) -> None:
        super().__init__({key: entry[key] for key in _KEPT if key in entry})
        if "facts" in entry:
            self["facts"] = None
        self._data = zlib.compress(text.encode(), 1)

    def whole(self) -> Json:
        """The entry with all its keys."""
        found: Json = _DECODER.decode(zlib.decompress(self._data).decode())
        return found


@dataclass(frozen=True)
class Document:
    """The content of a file; of a broken one, the entries before the place of its `fault`."""

    sections: dict[str, Json]
    fault: Fault | None = None


def read(file: IO[bytes], progress: Progress | None = None) -> Document:
    """The document in a binary, seekable file.

    Raises InvalidFileError for a file that is larger than MAX_MEGABYTES, before reading it, and for
    one that is not a JSON object.
    """
    size = file.seek(0, SEEK_END)
    if size > MAX_MEGABYTES * 1024**2:
        message = f"is {-(-size // 1024**2):,} MB long; at most {MAX_MEGABYTES:,} MB are allowed"
        raise InvalidFileError([Fault(DOCUMENT, f"{message}: load it in several parts")])
    file.seek(0)
    if progress:
        progress("Reading", 0, size)
    try:
        return Document(_object(_Reader(file, progress, size).document()))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested too deeply
        file.seek(0)
        return _broken(file.read())


class _Reader:
    """An incremental JSON parser: little more than one entry of the file's text is in memory.

    Its methods raise ValueError or RecursionError where the file is broken.
    """

    def __init__(self, file: IO[bytes], progress: Progress | None, size: int) -> None:
        self._file, self._progress, self._size = file, progress, size
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at = "", 0
        self._read = 0
        self._ended = False

    def document(self) -> Json:
        """Parse the file as one value; the lists of an object are parsed entry by entry."""
        if self._next() != "{":
            return self._last(self._value()[0])
        items: list[tuple[str, Json]] = []
        for _ in self._items("}"):
            if self._next() != '"':
                raise ValueError("a key must be a string")
            name = str(self._value()[0])
            self._expect(":")
            items.append((name, self._list(name) if self._next() == "[" else self._value()[0]))
        return self._last(_object_of(items))

    def _list(self, section: str) -> Json:
        found: list[Json] = []
        for _ in self._items("]"):
            entry, text = self._value()
            packed = section == PACKED_SECTION and isinstance(entry, dict)
            found.append(PackedEntry(entry, text) if packed and isinstance(entry, dict) else entry)
        return found

    def _items(self, end: str) -> Iterator[None]:
        """Yield once for each item of the object or list that starts here; the caller parses it."""
        self._at += 1
        if self._next() == end:
            self._at += 1
            return
        while True:
            yield
            if self._next() == end:
                self._at += 1
                return
            self._expect(",")

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            raise ValueError(f"{mark} is missing")
        self._at += 1

    def _last(self, found: Json) -> Json:
        if self._next():
            raise ValueError("something follows the document")
        return found

    def _next(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> tuple[Json, str]:
        """The next value, and its text."""
        self._next()
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or not self._more():
                    text, self._at = self._text[self._at : end], end
                    return found, text
            except ValueError:
                if not self._more():
                    raise

    def _more(self) -> bool:
        """Read more text; the buffer doubles, so that a long entry is parsed only a few times."""
        if self._ended:
            return False
        data = self._file.read(max(PIECE, len(self._text) - self._at))
        self._read += len(data)
        self._ended = not data
        self._text = self._text[self._at :] + self._utf8.decode(data, final=self._ended)
        self._at = 0
        if self._progress and data:
            self._progress("Reading", self._read, self._size)
        return True


def _integer(digits: str) -> int | float:
    """A number of JSON; infinity if it does not fit into 64 bits."""
    return int(digits) if len(digits) < 20 else float("inf")


def _object_of(items: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(items)
    return found if len(found) == len(items) else RepeatedKeys(items)


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of, parse_int=_integer)


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        message = f"is {kind}; a catalogue is an object with the key format"
        raise InvalidFileError([Fault(DOCUMENT, message)])
    return value


def _broken(data: bytes) -> Document:
    """The content before the place where reading stops, and the fault there."""
    if not data.decode("utf-8-sig", "replace").strip():
        message = "is empty; write one with “dump_catalogue”"
        raise InvalidFileError([Fault(DOCUMENT, message)])
    text, reason = _until_break(data)
    place = f"line {text.count(chr(10)) + 1}, column {len(text) - text.rfind(chr(10))}"
    fault = Fault(place, f"{reason}; the rest was not read")
    try:
        found = _DECODER.decode(_closed(text)[0])
    except ValueError:
        found = None
    return Document(found if isinstance(found, dict) else {}, fault)


def _until_break(data: bytes) -> tuple[str, str]:
    """The text before the fault, and its message."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        message = f"is not UTF-8 (byte 0x{byte:02x}): save the file as UTF-8"
        return error.object[: error.start].decode(), message
    try:
        _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        if reason.startswith("Unterminated string"):
            reason = "the file ends before the document does, in the text that starts here"
        elif not text[error.pos :].strip():
            reason = "the file ends before the document does"
        return text[: error.pos], f"is not JSON ({reason})"
    except RecursionError:
        place = _closed(text)[1]
        return text[:place], f"is nested more than {MAX_DEPTH} levels deep; a catalogue is not"
    raise SiteChangedError("the file changed while it was being read")


def _closed(text: str) -> tuple[str, int]:
    """A document of the complete entries in an incomplete text, and where reading it ended."""
    brackets, end, tail = "", 0, ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSING:
            brackets = _CLOSING[mark] + brackets
        elif mark in _CLOSING.values():
            brackets = brackets[1:]
        elif mark != ",":
            continue
        if len(brackets) > MAX_DEPTH:
            return text[:end] + tail, token.start()
        if len(brackets) <= 2:
            end, tail = token.start() if mark == "," else token.end(), brackets
    return text[:end] + tail, len(text)
