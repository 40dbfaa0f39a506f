"""A document read from a file piece by piece, so that no file is too large to be judged."""

from collections.abc import Iterator
from typing import IO, Any

import ijson

from shipskip.catalogue.assembling import Assembler, Item
from shipskip.catalogue.decoding import BYTE_ORDER_MARK, Progress, pieces, place_of
from shipskip.catalogue.faults import DOCUMENT, Fault, UnreadableError

MAX_TOKEN = 1_000_000


def items(file: IO[bytes], progress: Progress | None = None) -> Iterator[Item]:
    """The items of the JSON document in a binary, seekable file, from its beginning.

    Raises UnreadableError where the file is no JSON or beyond every measure of a catalogue, after
    the items that stand before that place.
    """
    events, parser = _parser()
    assembler = Assembler()
    quiet = done = 0
    for piece in pieces(file, progress):
        failure = _feed(parser, piece)
        quiet = 0 if events else quiet + len(piece)
        yield from assembler.feed(events)
        events.clear()
        if failure:
            raise _unreadable(file, failure, done, assembler)
        if quiet > MAX_TOKEN:
            message = f"is a text, number or gap of more than {MAX_TOKEN:,} bytes"
            raise UnreadableError(Fault(assembler.place(), f"{message}; the rest was not read"))
        done += len(piece)
    failure = _feed(parser, None)
    yield from assembler.feed(events)
    if failure:
        raise _unreadable(file, failure, done, assembler)


def _parser() -> tuple[list[Any], Any]:
    events = ijson.sendable_list()
    # Floats, because an integer of thousands of digits otherwise fails inside the C parser.
    return events, ijson.basic_parse_coro(events, use_float=True)


def _feed(parser: Any, piece: bytes | None) -> Exception | None:
    """Give the parser a piece (None at the end); what it raises is returned."""
    try:
        if piece is None:
            parser.close()
        else:
            parser.send(piece)
    except (ijson.JSONError, ValueError, ArithmeticError) as error:
        return error
    return None


def _unreadable(
    file: IO[bytes], error: Exception, start: int, assembler: Assembler
) -> UnreadableError:
    """The fault that stopped the parser within the piece that begins at byte `start`."""
    reason = str(error).removeprefix("b'").splitlines()[0].split("\\n")[0]
    reason = reason.removeprefix("parse error: ").removeprefix("lexical error: ").rstrip(".")
    if "overflow" in reason:
        message = "is a number that does not fit 64 bits; the rest of the file was not read"
        return UnreadableError(Fault(assembler.place(), message))
    if "premature EOF" in reason:
        if _is_blank(file):
            return UnreadableError(
                Fault(DOCUMENT, "is empty; dump_catalogue writes one to begin with")
            )
        reason = "the file ends before the document does"
    offset = _offset_of_failure(file, start)
    return UnreadableError(
        Fault(place_of(file, offset), f"is not JSON ({reason}); the rest was not read")
    )


def _is_blank(file: IO[bytes]) -> bool:
    return not any(piece.strip() for piece in pieces(file))


def _offset_of_failure(file: IO[bytes], start: int) -> int:
    """The byte the parser stops at, found by giving it the piece at `start` byte by byte."""
    file.seek(0)
    mark = len(BYTE_ORDER_MARK) if file.read(3) == BYTE_ORDER_MARK else 0
    events, parser = _parser()
    done = 0
    for piece in pieces(file):
        if done < start:
            parser.send(piece)
        else:
            for at in range(len(piece)):
                if _feed(parser, piece[at : at + 1]):
                    return mark + done + at
        events.clear()
        done += len(piece)
    return mark + done
