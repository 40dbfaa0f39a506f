"""The bytes of a document in pieces: UTF-8 made sure of, half characters marked, places told.

The JSON parser would quietly turn a lone surrogate escape into a question mark, or stumble over
it. Each is replaced by an escape of the same length that stands for no character, so that the
text it belongs to is refused at its own place.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import IO

from shipskip.catalogue.faults import Fault, UnreadableError

CHUNK = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_CHARACTER = "\ufdd0"
"""Stands where the document had half a character."""

Progress = Callable[[int], None]
"""Is told how many bytes have been read so far."""

_HEX = rb"[0-9a-fA-F]"
_HIGH, _LOW = rb"\\u[dD][89abAB]" + _HEX + _HEX, rb"\\u[dD][c-fC-F]" + _HEX + _HEX
_ESCAPE = re.compile(
    rb"(?P<pair>" + _HIGH + _LOW + rb")"
    rb"|(?P<open>" + _HIGH + rb"(?:\\(?:u(?:[dD](?:[c-fC-F]" + _HEX + rb"?)?)?)?)?\Z"
    rb"|\\(?:u" + _HEX + rb"{0,3})?\Z)"
    rb"|(?P<lone>" + _HIGH + rb"|" + _LOW + rb")"
    rb"|\\.",
    re.DOTALL,
)
_CONTINUATION = bytes(range(0x80, 0xC0))


def pieces(file: IO[bytes], progress: Progress | None = None) -> Iterator[bytes]:
    """The document from its beginning, without a byte order mark, each piece whole escapes.

    `file` is binary and seekable. Raises UnreadableError at the first byte that is not UTF-8, after
    what stands before it.
    """
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    done, rest = 0, b""
    while True:
        chunk = file.read(CHUNK)
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            good = max(error.start - pending, 0)
            yield rest + chunk[:good]
            raise UnreadableError(_not_utf8(file, done - pending + error.start, error)) from None
        text = chunk if done else chunk.removeprefix(BYTE_ORDER_MARK)
        done += len(chunk)
        mended, rest = _mend(rest + text, final=not chunk)
        if progress:
            progress(done)
        if mended:
            yield mended
        if not chunk:
            return


def _mend(data: bytes, *, final: bool) -> tuple[bytes, bytes]:
    """`data` with half characters marked, and an escape at its end that more may complete."""
    if b"\\" not in data:
        return data, b""
    rest = b""

    def settle(escape: re.Match[bytes]) -> bytes:
        nonlocal rest
        if escape["open"] and not final:
            rest = escape[0]
            return b""
        return rb"\ufdd0" if escape["lone"] else escape[0]

    return _ESCAPE.sub(settle, data), rest


def _not_utf8(file: IO[bytes], offset: int, error: UnicodeDecodeError) -> Fault:
    byte = error.object[error.start]
    return Fault(
        place_of(file, offset),
        f"is not UTF-8 (byte 0x{byte:02x}): save the file as UTF-8; the rest was not read",
    )


def place_of(file: IO[bytes], offset: int) -> str:
    """Line and column (from 1, in characters) of a byte, counted from the file's beginning."""
    file.seek(0)
    line, column, marked = 1, 1, file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    file.seek(len(BYTE_ORDER_MARK) if marked else 0)
    offset -= file.tell()
    while offset > 0 and (chunk := file.read(min(CHUNK, offset))):
        offset -= len(chunk)
        breaks = chunk.count(b"\n")
        if breaks:
            line, column = line + breaks, 1
            chunk = chunk[chunk.rindex(b"\n") + 1 :]
        column += len(chunk.translate(None, _CONTINUATION))
    return f"line {line}, column {column}"
