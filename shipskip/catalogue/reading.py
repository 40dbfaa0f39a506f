"""Read a catalogue document, a JSON object, by entry, or find the place where it is broken."""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from io import SEEK_END
from typing import IO

from shipskip.catalogue.document import MAX_COUNTED, Document, RepeatedKeys
from shipskip.catalogue.entries import (
    FORMATS,
    IMPORTED_FROM,
    KINDS,
    SECTIONS,
    Catalogue,
    Kind,
)
from shipskip.catalogue.faults import DOCUMENT, Fault, InvalidFileError, Json
from shipskip.catalogue.licence import with_text_licence
from shipskip.catalogue.rows import Values

MAX_MEGABYTES = 1_000
MAX_DEPTH = 12
MAX_VALUES = 20_000
"""How many objects and keys one entry may have."""

Progress = Callable[[str, int, int], None]
"""A callback with the name of a stage (`Reading`), the steps done, and all its steps."""

UNREAD = "the rest was not read"
PIECE = 1024**2
"""The minimum number of characters for one read."""
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


def read(file: IO[bytes], progress: Progress | None = None) -> Document:
    """The document in a binary, seekable file, with its faults.

    Raises InvalidFileError for a file that is larger than MAX_MEGABYTES, before reading it, and for
    one that is not a JSON object.
    """
    size = file.seek(0, SEEK_END)
    if size > MAX_MEGABYTES * 1024**2:
        sentence = f"is {-(-size // 1024**2):,} MB long; at most {MAX_MEGABYTES:,} MB are allowed"
        raise InvalidFileError([Fault(DOCUMENT, f"{sentence}: load it in several parts")])
    file.seek(0)
    if progress:
        progress("Reading", 0, size)
    return _Reader(file, progress, size).document()


class _BrokenError(Exception):
    """The file is broken at `position` of the text in memory."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


class _Reader:
    """An incremental JSON parser: little more than one entry of the file's text is in memory."""

    def __init__(self, file: IO[bytes], progress: Progress | None, size: int) -> None:
        self._file, self._progress, self._size = file, progress, size
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at = "", 0
        self._lines, self._columns = 0, 0  # before the text in memory
        self._read = 0
        self._ended = False
        self._bad_byte: int | None = None
        self._values = 0
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, parse_int=_integer)
        self._document = Document(kinds=tuple(KINDS))

    def document(self) -> Document:
        """Parse the whole file."""
        try:
            self._whole()
        except _BrokenError as error:
            self._document.is_whole = False
            self._document.add_fault(self._position(error.position), f"{error}; {UNREAD}")
        return self._document

    def _whole(self) -> None:
        first = self._next()
        if not first and self._bad_byte is None:
            raise InvalidFileError([Fault(DOCUMENT, "is empty; write one with “dump_catalogue”")])
        if first != "{":
            self._value()
            kind = "a list" if first == "[" else "a single value"
            sentence = f"is {kind}; a catalogue is an object with the key format"
            raise InvalidFileError([Fault(DOCUMENT, sentence)])
        keys: dict[str, Json] = {}
        for _ in self._items("}"):
            if self._next() != '"':
                raise self._broken("Expecting property name enclosed in double quotes", self._at)
            name = str(self._value())
            self._expect(":")
            if name in keys:
                self._document.add_fault((name,), "is given twice; keep one")
            if self._next() == "[":
                self._list(None if name in keys else SECTIONS.get(name))
                keys.setdefault(name, [])
            else:
                keys.setdefault(name, self._value())
            if self._document.unseen > MAX_COUNTED:
                return
        if self._next():
            raise self._broken("Extra data", self._at)
        given = self._document.checked(Catalogue, keys, ())
        if given.get("format"):
            self._document.format = FORMATS.index(given["format"]) + 1
        self._document.imported_from = given.get(IMPORTED_FROM) or ""

    def _list(self, kind: Kind | None) -> None:
        """Check and keep the entries of a list; those of an unknown one are read over."""
        document = self._document
        if kind:
            document.packed[kind.name] = []
        for _ in self._items("]"):
            entry = self._value()
            if document.is_full:
                document.unseen += 1
                if document.unseen > MAX_COUNTED:
                    return
            elif kind:
                path, values = document.next_path(kind.name), Values()
                if self._values > MAX_VALUES:
                    sentence = f"has {self._values:,} values; at most {MAX_VALUES:,} are allowed"
                    document.add_fault(path, sentence)
                else:
                    values = document.checked(kind.entry, entry, path)
                    values = with_text_licence(kind.name, values)
                document.keep(kind.name, values)

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
            raise self._broken(f"Expecting '{mark}' delimiter", self._at)
        self._at += 1

    def _next(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> Json:
        """The next value."""
        self._next()
        while True:
            self._values = 0
            try:
                found: Json
                found, end = self._decoder.raw_decode(self._text, self._at)
                if end < len(self._text) or not self._more():
                    self._at = end
                    return found
            except json.JSONDecodeError as error:
                if not self._more():
                    raise self._broken(error.msg.removesuffix(" at"), error.pos) from None
            except RecursionError:
                raise _BrokenError(
                    f"is nested more than {MAX_DEPTH} levels deep; a catalogue is not",
                    self._place_of_depth(),
                ) from None

    def _object(self, items: Sequence[tuple[str, Json]]) -> dict[str, Json]:
        """An object of the document; its values are counted."""
        self._values += 1 + len(items)
        found = dict(items)
        return found if len(found) == len(items) else RepeatedKeys(items)

    def _more(self) -> bool:
        """Read more text; the buffer doubles, so that a long entry is parsed only a few times."""
        if self._ended:
            return False
        data = self._file.read(max(PIECE, len(self._text) - self._at))
        self._read += len(data)
        self._ended = not data
        try:
            text = self._utf8.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            text = error.object[: error.start].decode()
            self._ended, self._bad_byte = True, error.object[error.start]
        if self._progress and data:
            self._progress("Reading", self._read, self._size)
        if not text and self._ended:
            return False
        self._lines, self._columns = self._line_and_column(self._at)
        self._text, self._at = self._text[self._at :] + text, 0
        return True

    def _broken(self, reason: str, position: int) -> _BrokenError:
        """The error at a position: what stops reading there."""
        if self._bad_byte is not None:
            sentence = f"is not UTF-8 (byte 0x{self._bad_byte:02x}): save the file as UTF-8"
            return _BrokenError(sentence, len(self._text))
        if reason.startswith("Unterminated string"):
            reason = "the file ends before the document does, in the text that starts here"
        elif not self._text[position:].strip():
            reason = "the file ends before the document does"
        return _BrokenError(f"is not JSON ({reason})", position)

    def _place_of_depth(self) -> int:
        """The position of the first bracket that is nested too deeply in the next value."""
        depth = 2  # the document and its list
        for token in _TOKEN.finditer(self._text, self._at):
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth > MAX_DEPTH:
                return token.start()
        return self._at

    def _line_and_column(self, position: int) -> tuple[int, int]:
        """The lines, and the characters of the last one, before a position."""
        lines = self._text.count("\n", 0, position)
        if not lines:
            return self._lines, self._columns + position
        return self._lines + lines, position - self._text.rfind("\n", 0, position) - 1

    def _position(self, position: int) -> str:
        """A position in words."""
        line, column = self._line_and_column(position)
        return f"line {line + 1}, column {column + 1}"


def _integer(digits: str) -> int | float:
    """A number of JSON; infinity if it does not fit into 64 bits."""
    return int(digits) if len(digits) < 20 else float("inf")
