"""Reads a catalogue document as one JSON object, or finds the place where it is broken."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import SEEK_END
from typing import IO

from shipskip.catalogue.faults import DOCUMENT, Fault, InvalidFileError, Json, SiteChangedError

MAX_MEGABYTES = 100
MAX_DEPTH = 12

Progress = Callable[[str, int, int], None]
"""Takes the name of a stage (`Checking tools`), how much of it is done, and how much there is."""

_ASTRAL = re.compile(rb"\\.|[\xf0-\xf4][\x80-\xbf]{3}", re.DOTALL)
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}


class RepeatedKeys(dict[str, Json]):
    """An object in which the keys `repeated` occur more than once; their first values count."""

    def __init__(self, pairs: list[tuple[str, Json]]) -> None:
        super().__init__()
        self.repeated: list[str] = []
        for key, value in pairs:
            if key not in self:
                self[key] = value
            elif key not in self.repeated:
                self.repeated.append(key)


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
        message = f"is {-(-size // 1024**2):,} MB long; at most {MAX_MEGABYTES} MB are allowed"
        raise InvalidFileError([Fault(DOCUMENT, f"{message}: load it in several parts")])
    file.seek(0)
    if progress:
        progress("Reading", 0, size)
    try:
        found = _object(_DECODER.decode(_text(file)))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested too deeply
        file.seek(0)
        return _broken(file.read())
    return Document(found)


def _text(file: IO[bytes]) -> str:
    """The text of a file, with escapes in place of characters beyond U+FFFF.

    One such character, an emoji, would make Python store the text with four bytes a character.
    """
    data = file.read()
    if _ASTRAL.search(data):
        data = _ASTRAL.sub(_escaped, data)
    return data.decode("utf-8-sig")


def _escaped(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return text if text.startswith(b"\\") else json.dumps(text.decode())[1:-1].encode()


def _integer(digits: str) -> int | float:
    """A number of JSON; infinity if it does not fit into 64 bits."""
    return int(digits) if len(digits) < 20 else float("inf")


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKeys(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_integer)


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        message = f"is {kind}; a catalogue is an object with the key format"
        raise InvalidFileError([Fault(DOCUMENT, message)])
    return value


def _broken(data: bytes) -> Document:
    """The content before the place where reading stops, and the fault there."""
    if not data.decode("utf-8-sig", "replace").strip():
        message = "is empty; dump_catalogue writes a first one"
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
            reason = "the file ends before the document does, key_place the text that begins here"
        elif not text[error.pos :].strip():
            reason = "the file ends before the document does"
        return text[: error.pos], f"is not JSON ({reason})"
    except RecursionError:
        place = _closed(text)[1]
        return text[:place], f"is nested more than {MAX_DEPTH} deep, as no catalogue is"
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
